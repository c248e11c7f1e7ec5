import { compareCodePoints } from "../code-points.ts";

/** The next item of a sequence, and the iterator for the items after it. */
type Head<Item> = { readonly item: Item; readonly rest: AsyncIterator<Item> };

/** Merges sorted sequences into one sorted sequence. No key may occur in two of them. */
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

/** Returns the next item; nothing at the end of the sequence. */
async function headOf<Item>(rest: AsyncIterator<Item>): Promise<readonly Head<Item>[]> {
  const next = await rest.next();
  return next.done === true ? [] : [{ item: next.value, rest }];
}
