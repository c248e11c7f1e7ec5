const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };

/** Steps of {@link relativeTime}: a distance below `below` is told in whole units. */
const steps = [
  { below: 90 * minute, unit: "minute", length: minute },
  { below: 36 * hour, unit: "hour", length: hour },
  { below: 60 * day, unit: "day", length: day },
  { below: 730 * day, unit: "month", length: 30.44 * day },
  { below: Number.POSITIVE_INFINITY, unit: "year", length: 365.25 * day },
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** Formats an instant for people, as seen from `now`: `2 days ago`, `in 5 hours`. Both are milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  if (distance < 45 * second) return at <= now ? "just now" : "in less than a minute";
  const { unit, length } = steps.find(({ below }) => distance < below) ?? steps[0];
  return words.format(Math.sign(at - now) * Math.max(1, Math.round(distance / length)), unit);
}

/** Formats a number of seconds for people: `45 s`, `3 min 20 s`. */
export function shortDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats a duration in milliseconds in the form that {@link readDuration} reads, in its largest unit: `1d`, `90m`. */
export function durationText(milliseconds: number): string {
  const [unit, length] = Object.entries(units).findLast(([, one]) => milliseconds % one === 0) ?? [
    "s",
    second,
  ];
  return `${milliseconds / length}${unit}`;
}

/** Parses a duration such as `90s`, `30m`, `12h` or `7d` to milliseconds; undefined if it is none. */
export function readDuration(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const length = units[unit];
  return length === undefined ? undefined : Number(count) * length;
}
