/** Reference time of every sample, in milliseconds since 1970: nothing in a record happened later. */
export const referenceTime = Date.UTC(2026, 5, 30);

export const msPerHour = 3_600_000;
export const msPerDay = 24 * msPerHour;

/** Records were last changed within this many days before {@link referenceTime}. */
export const changeDays = 730;

const dates = new Map<number, string>();

/** Returns `YYYY-MM-DD` for a day number (days since 1970-01-01). */
export function dateText(dayNumber: number): string {
  let text = dates.get(dayNumber);
  if (text === undefined) {
    text = new Date(dayNumber * msPerDay).toISOString().slice(0, 10);
    dates.set(dayNumber, text);
  }
  return text;
}

const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** Returns `YYYY-MM-DDTHH:MM:SS.sssZ` for a time in milliseconds since 1970. */
export function timestampText(moment: number): string {
  const dayNumber = Math.floor(moment / msPerDay);
  const rest = moment - dayNumber * msPerDay;
  const seconds = Math.floor(rest / 1000);
  const fraction = String(rest % 1000).padStart(3, "0");
  return `${dateText(dayNumber)}T${two[Math.floor(seconds / 3600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}.${fraction}Z`;
}
