import { IngestError } from "./ingest-error.ts";

/** Maximum length of a line, in bytes. */
export const maxLine = 16 * 1024 * 1024;

/** Text of a line without its line break, and its number, starting at 1. */
export type Line = { readonly line: number; readonly text: string };

/**
 * Yields the lines of a UTF-8 text, except for blank ones.
 *
 * @throws {IngestError} if a line is longer than `maxLine`, which could exhaust the memory
 */
export async function* readLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let line = 0;
  let rest: Buffer = Buffer.alloc(0);
  const lineOf = (bytes: Buffer): Line => ({
    line: ++line,
    text: bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replace(/\r$/, ""),
  });
  for await (const chunk of content) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const read = lineOf(bytes.subarray(start, end));
      if (read.text.trim() !== "") yield read;
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > maxLine) throw new IngestError(`line ${line + 1} is longer than ${maxLine} bytes`);
  }
  const last = lineOf(rest);
  if (last.text.trim() !== "") yield last;
}
