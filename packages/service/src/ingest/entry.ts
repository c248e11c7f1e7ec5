import type { Row } from "@cadastre/odata";
import { withoutAnnotations } from "./annotations.ts";
import { ExactNumber } from "./exact-json.ts";

/** The bytes of a file. */
export type FileContent = AsyncIterable<Uint8Array>;

/** An entry of a file: a record in JSON form, or text that is not a record. */
export type Entry = { readonly line: number } & (
  | { readonly record: Row }
  /** Reason why it is not a record. */
  | { readonly malformed: string }
);

/** Returns the entry of a JSON value, without its annotations. Undefined stands for text that is not JSON. */
export function entryOf(line: number, value: unknown): Entry {
  if (isObject(value)) return { line, record: withoutAnnotations(value) };
  return { line, malformed: value === undefined ? "not JSON" : "not a JSON object" };
}

/** Returns the entry of an object in which a member occurs twice. It is malformed, because either value may be the intended one. */
export const duplicateEntry = (line: number, name: string): Entry => ({
  line,
  malformed: `the member \`${name.slice(0, longestName)}\` occurs twice in one object: leave one of them out`,
});

/** Maximum number of characters of a name that an error quotes. */
const longestName = 128;

export const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
