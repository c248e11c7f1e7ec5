import { IngestError } from "./ingest-error.ts";

/** Longest line of a file, in bytes. */
export const maxLine = 16 * 1024 * 1024;

/** A line of text, without its end, and its number from 1. */
export type Line = { readonly line: number; readonly text: string };

/**
 * The lines of a text in UTF-8 that are not blank.
 *
 * @throws {IngestError} for a line that is too long to be kept in memory.
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
