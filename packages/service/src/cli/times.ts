import { InvalidArgumentError } from "commander";

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationPattern = /^(\d{1,6})([mhd])$/;
const instantPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?$/;

const durationForm = "a number of minutes, hours or days, such as 30m, 12h or 7d";

/**
 * Parses a duration such as `7d` to milliseconds.
 *
 * @throws {InvalidArgumentError}
 */
export function parsePeriod(text: string): number {
  const milliseconds = durationOf(text);
  if (milliseconds === undefined) throw new InvalidArgumentError(`It must be ${durationForm}.`);
  return milliseconds;
}

/**
 * Parses a date, an instant in UTC, or a duration from now to milliseconds since 1970. It must be in the future.
 *
 * @throws {InvalidArgumentError}
 */
export function parseTimeToCome(text: string, now: number): number {
  const duration = durationOf(text);
  const time = duration === undefined ? instantOf(text) : now + duration;
  if (time === undefined)
    throw new InvalidArgumentError(
      `It must be a date, such as 2030-01-31 or 2030-01-31T18:00:00Z, or ${durationForm}.`,
    );
  if (time <= now) throw new InvalidArgumentError("It must be in the future.");
  return time;
}

function durationOf(text: string): number | undefined {
  const [, count = "", unit = ""] = durationPattern.exec(text) ?? [];
  const milliseconds = units[unit];
  return milliseconds === undefined ? undefined : Number(count) * milliseconds;
}

function instantOf(text: string): number | undefined {
  const time = instantPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  // `Date.parse` turns a day that the month does not have, such as February 30, into one of the next month.
  return new Date(time).toISOString().startsWith(text.replace(/Z$/, "")) ? time : undefined;
}

/** Formats an instant for people: `2030-01-31 18:00 UTC`. */
export const readable = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
