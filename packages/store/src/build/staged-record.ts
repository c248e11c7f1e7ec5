import type { Row } from "@cadastre/odata";

/** Member name that marks an encoded bigint: `{"cadastre_digits": "9007199254740993"}`. */
const digits = "cadastre_digits";

/** Serializes a record as JSON text. Integers beyond the precision of a double keep all digits. */
export function stagedText(record: Row): string {
  try {
    return JSON.stringify(record);
  } catch {
    // It has a bigint. Most records have none, and to look for one would take as long as to write the text.
    return JSON.stringify(record, write);
  }
}

/** Parses the result of {@link stagedText}. */
export const stagedRecord = (text: string): Row =>
  (text.includes(`{"${digits}":`) ? JSON.parse(text, read) : JSON.parse(text)) as Row;

const write = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? { [digits]: String(value) } : value;

const read = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && digits in value ? BigInt(String(value[digits])) : value;
