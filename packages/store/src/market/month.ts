/** A month, as the number of months since January of the year 0. */
export type Month = number;

/** Returns the month of a date or an instant in JSON form; undefined for any other value. */
export function monthOf(value: unknown): Month | undefined {
  const [, year, month] = (typeof value === "string" && /^(\d{4})-(\d{2})-\d{2}/.exec(value)) || [];
  return year === undefined || month === undefined ? undefined : 12 * Number(year) + Number(month) - 1;
}

/** Formats a month as `YYYY-MM`. */
export const monthText = (month: Month): string =>
  `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
