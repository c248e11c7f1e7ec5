import { readIfExists } from "../data/data-folder.ts";

/** Reads and parses a file of the data folder. Returns a finding code if it is missing or `parse` throws. */
export async function readParsed<T>(
  file: string,
  parse: (text: string) => T,
): Promise<T | "file_missing" | "file_damaged"> {
  const text = await readIfExists(file);
  if (text === undefined) return "file_missing";
  try {
    return parse(text);
  } catch {
    return "file_damaged";
  }
}
