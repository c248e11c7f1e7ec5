import type { Row } from "@cadastre/odata";

/** The name of the one member of an object that stands for an integer of too many digits for a double. */
const digits = "cadastre_digits";

/** A record in JSON form as text; its integers keep all of their digits. */
export const stagedText = (record: Row): string =>
  Object.values(record).some(isLong) ? JSON.stringify(record, write) : JSON.stringify(record);

/** The record of a {@link stagedText}. */
export const stagedRecord = (text: string): Row =>
  (text.includes(`{"${digits}":`) ? JSON.parse(text, read) : JSON.parse(text)) as Row;

const isLong = (value: unknown): boolean =>
  typeof value === "bigint" || (Array.isArray(value) && value.some(isLong));

const write = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? { [digits]: String(value) } : value;

const read = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && digits in value ? BigInt(String(value[digits])) : value;
