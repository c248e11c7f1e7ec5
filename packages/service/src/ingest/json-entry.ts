import { duplicateEntry, type Entry, entryOf } from "./entry.ts";
import { duplicateMember, parseJson } from "./exact-json.ts";

/** Returns the entry of a JSON text. Malformed if it is not a JSON object, has a member twice, or is nested too deeply. */
export const jsonEntry = (line: number, text: string): Entry => parsedEntry(line, text, parseJson(text));

/** Returns the entry of a JSON text whose value is known. */
export function parsedEntry(line: number, text: string, value: unknown): Entry {
  if (value === undefined) return entryOf(line, value);
  try {
    const duplicate = duplicateMember(text, value);
    return duplicate === undefined ? entryOf(line, value) : duplicateEntry(line, duplicate);
  } catch (error) {
    if (error instanceof SyntaxError) return { line, malformed: error.message };
    throw error;
  }
}
