import type { Entry } from "./entry.ts";

/** Maximum number of entries in a batch. */
const batchSize = 1000;

export type IngestBatch = {
  readonly entries: readonly Entry[];
  /** Number of entries of the file up to the end of the batch. */
  readonly read: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
};

/** Groups the entries into batches. A batch is yielded when the entry after it is known, so that the last one is marked as such. */
export async function* ingestBatches(entries: AsyncIterable<Entry>): AsyncGenerator<IngestBatch> {
  let [held, read, isFirst]: [Entry[], number, boolean] = [[], 0, true];
  for await (const entry of entries) {
    if (held.length === batchSize) {
      yield { entries: held, read, isFirst, isLast: false };
      [held, isFirst] = [[], false];
    }
    held.push(entry);
    read++;
  }
  if (held.length > 0) yield { entries: held, read, isFirst, isLast: true };
}
