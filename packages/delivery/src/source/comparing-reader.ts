import type { DatasetReader } from "./dataset-reader.ts";
import { deltaBatches } from "./delta.ts";
import type { ExportBatch, ExportChanges, ExportRead } from "./export-source.ts";
import { type KeyedLine, keyedLines } from "./keyed-lines.ts";
import { compareKeys } from "./merge.ts";

/**
 * A reader that finds changes by comparing all of one state with all of the other: for datasets that are small, or that
 * nothing else can be told of.
 *
 * @param keyField whose values are texts, in whose order of code points the reader reads
 */
export const comparingReader = (reader: DatasetReader, keyField: string): DatasetReader => ({
  ...reader,
  read: ({ changes, ...request }) =>
    changes === undefined ? reader.read(request) : compare(reader, keyField, request, changes),
});

function compare(
  reader: DatasetReader,
  keyField: string,
  request: ExportRead,
  { since, content }: ExportChanges,
): AsyncIterable<ExportBatch> {
  // Of what is removed the key alone is asked for.
  const columns = content === "rows" ? request.columns : [keyField];
  const stateAt = (checkpoint: number) =>
    after(request.from, keyedLines(reader.read({ ...request, columns, checkpoint, from: null }), keyField));
  const { columns: asked } = request;
  return deltaBatches(stateAt(since), stateAt(request.checkpoint), { keyField, columns: asked, content });
}

/** A position among changes is the key of the record before it. */
async function* after(from: string | null, lines: AsyncIterable<KeyedLine>): AsyncGenerator<KeyedLine> {
  for await (const line of lines) if (from === null || compareKeys(line.key, from) > 0) yield line;
}
