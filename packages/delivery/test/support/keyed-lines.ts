import type { ExportBatch, KeyedLine } from "../../src/index.ts";

/** Splits batches into their lines, with the keys that the records state. */
export async function* linesOfBatches(
  batches: AsyncIterable<ExportBatch>,
  keyField: string,
): AsyncGenerator<KeyedLine> {
  for await (const { lines } of batches)
    for (const line of Buffer.from(lines).toString().split("\n").slice(0, -1)) {
      const record = JSON.parse(line) as Readonly<Record<string, string>>;
      yield { key: record[keyField] ?? "", line };
    }
}
