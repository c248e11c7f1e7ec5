import type { Entry } from "./entry.ts";

/** Entries that are staged at once. */
const batchSize = 1000;

export type Batch = {
  readonly entries: readonly Entry[];
  /** Entries of the file up to the end of the batch. */
  readonly read: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
};

/** The entries in batches, of which one is held back: it may be the last. */
export async function* batchesOf(entries: AsyncIterable<Entry>): AsyncGenerator<Batch> {
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
