import { compareCodePoints } from "../code-points.ts";

/** An item of a sequence, and the rest of it. */
type Head<Item> = { readonly item: Item; readonly rest: AsyncIterator<Item> };

/** Several sequences in order of their keys as one in order. No two have an item of the same key. */
export async function* merged<Item>(
  sources: readonly AsyncIterable<Item>[],
  keyOf: (item: Item) => string,
): AsyncGenerator<Item> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const earlier = (a: Head<Item>, b: Head<Item>) =>
    compareCodePoints(keyOf(b.item), keyOf(a.item)) < 0 ? b : a;
  try {
    let heads = (await Promise.all(iterators.map(headOf))).flat();
    while (heads.length > 0) {
      const first = heads.reduce(earlier);
      yield first.item;
      heads = [...heads.filter((head) => head !== first), ...(await headOf(first.rest))];
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

/** The head of a sequence, if there is any. */
async function headOf<Item>(rest: AsyncIterator<Item>): Promise<readonly Head<Item>[]> {
  const next = await rest.next();
  return next.done === true ? [] : [{ item: next.value, rest }];
}
