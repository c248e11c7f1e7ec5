import type { Row } from "@cadastre/odata";
import type { KeyedLine } from "@cadastre/store/changes";
import type { ExportBatch } from "./export-source.ts";

/** Writes rows with the key `id` as lines, with only the given columns, in their order. */
export async function* linesOfRows(
  rows: AsyncIterable<Row>,
  columns: readonly string[],
): AsyncGenerator<KeyedLine> {
  for await (const row of rows) yield { key: String(row["id"]), line: JSON.stringify(row, [...columns]) };
}

/** Number of records in a batch. */
const batchSize = 500;

/**
 * Groups lines into batches.
 *
 * @param positionAfter returns the position after the record with a key; by default the key
 */
export async function* exportBatches(
  lines: AsyncIterable<KeyedLine>,
  positionAfter: (key: string) => string = (key) => key,
): AsyncGenerator<ExportBatch> {
  let some: KeyedLine[] = [];
  const batch = (): ExportBatch => ({
    lines: Buffer.from(some.map(({ line }) => `${line}\n`).join("")),
    length: some.length,
    end: positionAfter(some.at(-1)?.key ?? ""),
  });
  for await (const line of lines) {
    some.push(line);
    if (some.length < batchSize) continue;
    yield batch();
    some = [];
  }
  if (some.length > 0) yield batch();
}
