import { isUtf8 } from "node:buffer";
import type { FileContent } from "./entry.ts";
import { IngestError } from "./ingest-error.ts";
import { maxLine } from "./read-lines.ts";

const lineFeed = 0x0a;

/**
 * Yields the content of a CSV file in blocks of whole lines.
 *
 * @throws {IngestError} if a line is not UTF-8, or longer than `maxLine`
 */
export async function* utf8Lines(content: FileContent): AsyncGenerator<Buffer> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    rest = bytes.subarray(end);
    if (rest.length > maxLine)
      throw new IngestError(`a line after line ${line} is longer than ${maxLine} bytes`);
    if (end === 0) continue;
    const block = bytes.subarray(0, end);
    line = requireUtf8(block, line);
    yield block;
  }
  requireUtf8(rest, line);
  if (rest.length > 0) yield rest;
}

/**
 * Returns the number of the line after the block.
 *
 * @param line number of the block's first line
 * @throws {IngestError} if a line is not UTF-8
 */
function requireUtf8(block: Buffer, line: number): number {
  const isValid = isUtf8(block);
  let next = line;
  for (let start = 0; start < block.length; next++) {
    const feed = block.indexOf(lineFeed, start);
    const end = feed < 0 ? block.length : feed + 1;
    if (!isValid && !isUtf8(block.subarray(start, end)))
      throw new IngestError(
        `line ${next} is not UTF-8: convert the file, for example with \`iconv -f windows-1252 -t utf-8\``,
      );
    start = end;
  }
  return next;
}

/** Separators of cells, in the order in which they are looked for. */
const delimiters = [",", ";", "\t", "|"] as const;

/** Returns the separator of cells: the first one that occurs in the line of names. Names of fields contain none of them. */
export function delimiterOf(text: string): string {
  const [header = ""] = text.trimStart().split("\n", 1);
  return delimiters.find((one) => header.includes(one)) ?? ",";
}

/**
 * Returns the names of the columns.
 *
 * @param fields names of the resource's fields
 * @throws {IngestError} if a column has the name of a field in another form, such as `List Price` for `ListPrice`
 */
export function columnNames(header: readonly string[], fields: Iterable<string>): string[] {
  const names = new Set(fields);
  const known = new Map([...names].map((name) => [plainName(name), name]));
  for (const column of header) {
    const field = known.get(plainName(column));
    if (field !== undefined && !names.has(column))
      throw new IngestError(`the column \`${column}\` is not a field: rename it to \`${field}\``);
  }
  return [...header];
}

/** Returns a name without what differs between its forms: letter case, spaces, `_` and `-`. */
export const plainName = (name: string): string => name.replaceAll(/[\s_-]/g, "").toLowerCase();
