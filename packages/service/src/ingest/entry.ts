import type { Row } from "@cadastre/odata";
import { withoutAnnotations } from "./annotations.ts";
import { ExactNumber } from "./exact-json.ts";

/** The bytes of a file. */
export type Content = AsyncIterable<Uint8Array>;

/** What stands in a file: a record in JSON form, or what is none. */
export type Entry = { readonly line: number } & (
  | { readonly record: Row }
  /** Why it is no record. */
  | { readonly malformed: string }
);

/** Returns the entry of a JSON value, without its annotations. Undefined stands for text that is not JSON. */
export function entryOf(line: number, value: unknown): Entry {
  if (isObject(value)) return { line, record: withoutAnnotations(value) };
  return { line, malformed: value === undefined ? "not JSON" : "not a JSON object" };
}

/** The entry of an object in which a member occurs twice: which of the values is meant cannot be told. */
export const duplicateEntry = (line: number, name: string): Entry => ({
  line,
  malformed: `the member \`${name.slice(0, longestName)}\` occurs twice in one object: leave one of them out`,
});

/** Characters of a name that are quoted. */
const longestName = 128;

export const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
