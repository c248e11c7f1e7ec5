import { compareCodePoints } from "../code-points.ts";

/** Several sequences in order of their keys as one in order. No two have an item of the same key. */
export async function* merged<Item>(
  sources: readonly AsyncIterable<Item>[],
  keyOf: (item: Item) => string,
): AsyncGenerator<Item> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      let first: number | undefined;
      for (const [i, head] of heads.entries()) {
        const least = first === undefined ? undefined : heads[first];
        if (head.done === true) continue;
        if (
          least === undefined ||
          least.done === true ||
          compareCodePoints(keyOf(head.value), keyOf(least.value)) < 0
        )
          first = i;
      }
      const head = first === undefined ? undefined : heads[first];
      const iterator = first === undefined ? undefined : iterators[first];
      if (first === undefined || head === undefined || head.done === true || iterator === undefined) return;
      yield head.value;
      heads[first] = await iterator.next();
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}
