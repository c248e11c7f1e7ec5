/** A whole number as a row has it: PostgreSQL gives those of 64 bits as text. */
export type Whole = number | string;

export const numberOf = (value: Whole | null): number | null => (value === null ? null : Number(value));
