import { compareCodePoints } from "@cadastre/store/changes";

/** Yields the keys of changes or records. */
export async function* keysAmong(items: AsyncIterable<{ readonly key: string }>): AsyncGenerator<string> {
  for await (const { key } of items) yield key;
}

/** Merges sequences of keys, each sorted by code points, into one that has each key once. No sequence is read further than needed. */
export async function* mergeKeys(sequences: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  const iterators = sequences.map((sequence) => sequence[Symbol.asyncIterator]());
  try {
    const heads: IteratorResult<string, unknown>[] = [];
    for (const iterator of iterators) heads.push(await iterator.next());
    for (;;) {
      const first = heads.reduce<string | undefined>(
        (least, { done, value }) =>
          done === true || (least !== undefined && compareCodePoints(least, value) <= 0) ? least : value,
        undefined,
      );
      if (first === undefined) return;
      yield first;
      for (const [i, iterator] of iterators.entries())
        if (heads[i]?.done !== true && heads[i]?.value === first) heads[i] = await iterator.next();
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}
