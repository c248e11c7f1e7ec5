/** A value from a column of 64-bit integers: SQLite returns a number, PostgreSQL text. */
export type Int64Column = number | string;

export const int64ToNumber = (value: Int64Column | null): number | null =>
  value === null ? null : Number(value);
