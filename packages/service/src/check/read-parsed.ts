import { readIfExists } from "../data/data-folder.ts";

/** Reads a file of the data folder. Gives the code of a finding if it is missing, or if `parse` throws. */
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
