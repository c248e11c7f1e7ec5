/** A month as a number: those since the year 0. */
export type Month = number;

/** The month that a date or an instant in JSON form begins with; undefined for what is neither. */
export function monthOf(value: unknown): Month | undefined {
  const [, year, month] = (typeof value === "string" && /^(\d{4})-(\d{2})-\d{2}/.exec(value)) || [];
  return year === undefined || month === undefined ? undefined : 12 * Number(year) + Number(month) - 1;
}

/** `YYYY-MM` */
export const monthText = (month: Month): string =>
  `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
