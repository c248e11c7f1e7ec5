import type { Row } from "@cadastre/odata";
import { duplicateEntry, type Entry, entryOf } from "./entry.ts";
import { duplicateMember, parseJson } from "./exact-json.ts";

const texts = new WeakMap<Row, string>();

/** Returns the JSON text that a record was parsed from. Undefined for a record that is not as it was parsed, which is another object. */
export const parsedText = (record: Row): string | undefined => texts.get(record);

/** Returns the entry of a JSON text. Malformed if it is not a JSON object, has a member twice, or is nested too deeply. */
export const jsonEntry = (line: number, text: string): Entry => parsedEntry(line, text, parseJson(text));

/** Returns the entry of a JSON text whose value is known. */
export function parsedEntry(line: number, text: string, value: unknown): Entry {
  if (value === undefined) return entryOf(line, value);
  try {
    const duplicate = duplicateMember(text, value);
    if (duplicate !== undefined) return duplicateEntry(line, duplicate);
    const entry = entryOf(line, value);
    if ("record" in entry && entry.record === value) texts.set(entry.record, text);
    return entry;
  } catch (error) {
    if (error instanceof SyntaxError) return { line, malformed: error.message };
    throw error;
  }
}
