/** A column of 64-bit integers as a row has it: SQLite returns a number, PostgreSQL text. */
export type Int64Column = number | string;

export const toNumber = (value: Int64Column | null): number | null => (value === null ? null : Number(value));
