import type { ExportBatch } from "./export-source.ts";

/** The line of a record, without its line feed, and its key. */
export type KeyedLine = { readonly key: string; readonly line: string };

const lineFeed = "\n";

/** Splits batches into their lines. */
export async function* keyedLines(
  batches: AsyncIterable<ExportBatch>,
  keyField: string,
): AsyncGenerator<KeyedLine> {
  for await (const { lines } of batches)
    for (const line of Buffer.from(lines).toString().split(lineFeed).slice(0, -1))
      yield { key: keyOf(line, keyField), line };
}

function keyOf(line: string, keyField: string): string {
  const key = (JSON.parse(line) as Readonly<Record<string, unknown>>)[keyField];
  if (typeof key !== "string") throw new TypeError(`an export must have the key \`${keyField}\``);
  return key;
}

/** Number of records in a batch. */
const batchSize = 1000;

/** Groups lines into batches, whose positions are keys. */
export async function* exportBatches(lines: AsyncIterable<KeyedLine>): AsyncGenerator<ExportBatch> {
  let some: KeyedLine[] = [];
  for await (const line of lines) {
    some.push(line);
    if (some.length < batchSize) continue;
    yield batchOf(some);
    some = [];
  }
  if (some.length > 0) yield batchOf(some);
}

const batchOf = (some: readonly KeyedLine[]): ExportBatch => ({
  lines: Buffer.from(some.map(({ line }) => line + lineFeed).join("")),
  length: some.length,
  end: some.at(-1)?.key ?? "",
});
