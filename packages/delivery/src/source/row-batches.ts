import type { Row } from "@cadastre/odata";
import type { ExportBatch } from "./export-source.ts";

/** Number of rows in a batch. */
const batchSize = 500;

/**
 * Groups rows into batches of JSON lines, with only the given columns, in their order.
 *
 * @param positionAfter returns the position after a row
 */
export async function* batchesOfRows<Each extends Row>(
  rows: AsyncIterable<Each>,
  columns: readonly string[],
  positionAfter: (row: Each) => string,
): AsyncGenerator<ExportBatch> {
  let [texts, end]: [string[], string] = [[], ""];
  const batch = (): ExportBatch => ({ lines: Buffer.from(texts.join("")), length: texts.length, end });
  for await (const row of rows) {
    texts.push(`${JSON.stringify(row, [...columns])}\n`);
    end = positionAfter(row);
    if (texts.length < batchSize) continue;
    yield batch();
    texts = [];
  }
  if (texts.length > 0) yield batch();
}
