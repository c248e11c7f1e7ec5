import { compareCodePoints, type KeyedLine } from "@cadastre/store/changes";
import type { DatasetReader } from "./dataset-reader.ts";
import { deltaBatches } from "./delta.ts";
import type { ExportBatch, ExportChanges, ExportRead } from "./export-source.ts";

/**
 * Wraps a reader so that it finds changes by reading both states in full and comparing them. For datasets that are small, or that keep
 * no record of changes.
 *
 * @param keyField column of the key, whose values are texts
 * @param linesOf reads all records of a state, in code point order of their keys
 */
export const comparingReader = (
  reader: DatasetReader,
  keyField: string,
  linesOf: ReadLines,
): DatasetReader => ({
  ...reader,
  read: ({ changes, ...request }) =>
    changes === undefined ? reader.read(request) : compare(linesOf, keyField, request, changes),
});

type ReadLines = (request: ExportRead) => AsyncIterable<KeyedLine>;

function compare(
  linesOf: ReadLines,
  keyField: string,
  request: ExportRead,
  { since, content }: ExportChanges,
): AsyncIterable<ExportBatch> {
  // A removal needs only the key.
  const columns = content === "rows" ? request.columns : [keyField];
  const stateAt = (checkpoint: number) =>
    after(request.from, linesOf({ ...request, columns, checkpoint, from: null }));
  const { columns: asked } = request;
  return deltaBatches(stateAt(since), stateAt(request.checkpoint), { keyField, columns: asked, content });
}

/** Skips the lines up to and including the key `from`: among changes, a position is the key of the record before it. */
async function* after(from: string | null, lines: AsyncIterable<KeyedLine>): AsyncGenerator<KeyedLine> {
  for await (const line of lines) if (from === null || compareCodePoints(line.key, from) > 0) yield line;
}
