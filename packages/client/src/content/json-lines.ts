import type { ManifestPart } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";

/** Longest line, in characters. */
const maxLine = 1 << 24;

/** Splits JSON lines, and yields the lines of each chunk. Every line must end with a line feed. */
export async function* jsonLines(
  bytes: AsyncIterable<Uint8Array>,
  part: ManifestPart,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  let row = 0;
  const malformed = () =>
    new ClientError("part_malformed", { part: String(part.number), row: String(row + 1) });
  /** @param chunk undefined at the end: a character that is not complete is malformed */
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw malformed();
    }
  };
  for await (const chunk of bytes) {
    const lines = (rest + decoded(chunk)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLine) throw malformed();
    row += lines.length;
    if (lines.length > 0) yield lines;
  }
  if (rest + decoded() !== "") throw malformed();
}
