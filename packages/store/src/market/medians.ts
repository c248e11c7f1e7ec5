/** Maximum number of values of a set to keep in memory. For larger sets, values are counted in {@link ranges} ranges. */
const mostValues = 64;
const ranges = 256;

/** Summary of a set after the first walk. */
type Seen = {
  count: number;
  least: number;
  greatest: number;
  /** All values as long as there are few; undefined for a larger set. */
  values: number[] | undefined;
};

/** Search for the value at a given position in the sorted set. Each walk narrows the bounds between which it lies. */
class Search {
  least: number;
  greatest: number;
  /** Position in the sorted values between the bounds. */
  #position: number;
  #width: number;
  #counts: Int32Array | undefined;
  #values: number[] | undefined;

  constructor({ least, greatest, count }: Seen, position: number) {
    this.least = least;
    this.greatest = greatest;
    this.#position = position;
    this.#width = 0;
    this.#begin(count);
  }

  get isOver(): boolean {
    return this.least === this.greatest;
  }

  see(value: number): void {
    if (value < this.least || value > this.greatest) return;
    this.#values?.push(value);
    if (this.#counts !== undefined) {
      const range = Math.floor((value - this.least) / this.#width);
      this.#counts[range] = (this.#counts[range] ?? 0) + 1;
    }
  }

  /** Narrows the bounds. Call it at the end of a walk. */
  narrow(): void {
    const sorted = this.#values?.toSorted((a, b) => a - b);
    if (sorted !== undefined) {
      const found = sorted[this.#position] ?? this.least;
      [this.least, this.greatest] = [found, found];
      return;
    }
    const counts = this.#counts ?? new Int32Array();
    let range = 0;
    while (this.#position >= (counts[range] ?? Number.POSITIVE_INFINITY))
      this.#position -= counts[range++] ?? 0;
    this.least += range * this.#width;
    this.greatest = Math.min(this.greatest, this.least + this.#width - 1);
    this.#begin(counts[range] ?? 0);
  }

  #begin(count: number): void {
    const isFew = count <= mostValues;
    this.#values = isFew ? [] : undefined;
    this.#counts = isFew ? undefined : new Int32Array(ranges);
    this.#width = Math.ceil((this.greatest - this.least + 1) / ranges);
  }
}

/**
 * Computes the medians of many sets of integers in several walks over all values. The first walk counts the values of each set
 * and finds their bounds; each further walk narrows the bounds of the median. Memory per set is bounded, however large it is.
 */
export class Medians<Key> {
  readonly #sets = new Map<Key, Seen>();
  #searches: Map<Key, readonly Search[]> | undefined;

  /** Adds a value of a set. Call it for all values in every walk. */
  see(key: Key, value: number): void {
    if (this.#searches !== undefined) {
      for (const search of this.#searches.get(key) ?? []) search.see(value);
      return;
    }
    const seen = this.#sets.get(key) ?? { count: 0, least: value, greatest: value, values: [] };
    this.#sets.set(key, seen);
    seen.count++;
    seen.least = Math.min(seen.least, value);
    seen.greatest = Math.max(seen.greatest, value);
    if (seen.values !== undefined && seen.values.length < mostValues) seen.values.push(value);
    else seen.values = undefined;
  }

  /** Ends a walk. Returns true if all medians are known, false if another walk is needed. */
  isKnown(): boolean {
    if (this.#searches === undefined) this.#searches = searchesFor(this.#sets);
    else for (const searches of this.#searches.values()) for (const search of searches) search.narrow();
    let isKnown = true;
    for (const [key, searches] of this.#searches) {
      if (!searches.every(({ isOver }) => isOver)) {
        isKnown = false;
        continue;
      }
      const seen = this.#sets.get(key);
      if (seen !== undefined) seen.values = searches.map(({ least }) => least);
      this.#searches.delete(key);
    }
    return isKnown;
  }

  /** Returns the number of values in a set. */
  countOf(key: Key): number {
    return this.#sets.get(key)?.count ?? 0;
  }

  /** Returns twice the median of a set, which is an integer: the sum of the two middle values, or twice the only one. */
  doubledOf(key: Key): number | undefined {
    const sorted = this.#sets.get(key)?.values?.toSorted((a, b) => a - b);
    if (sorted === undefined) return undefined;
    const [lower, upper] = middleOf(sorted.length).map((position) => sorted[position]);
    return lower === undefined || upper === undefined ? undefined : lower + upper;
  }
}

const middleOf = (count: number): readonly [number, number] => [
  Math.floor((count - 1) / 2),
  Math.floor(count / 2),
];

function searchesFor<Key>(sets: ReadonlyMap<Key, Seen>): Map<Key, readonly Search[]> {
  const searches = new Map<Key, readonly Search[]>();
  for (const [key, seen] of sets)
    if (seen.values === undefined)
      searches.set(
        key,
        middleOf(seen.count).map((position) => new Search(seen, position)),
      );
  return searches;
}
