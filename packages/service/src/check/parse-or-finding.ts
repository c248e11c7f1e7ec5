/** Parses the text of a document. Returns a finding code if there is none or `parse` throws. */
export function parseOrFinding<T>(
  text: string | undefined,
  parse: (text: string) => T,
): T | "file_missing" | "file_damaged" {
  if (text === undefined) return "file_missing";
  try {
    return parse(text);
  } catch {
    return "file_damaged";
  }
}
