import { LruCache } from "@cadastre/odata/lru-cache";
import type { Coverage } from "@cadastre/store";

/** LRU cache of values computed from a build's coverage. The values are dropped together with the coverage. */
export class CoverageCache<Made> {
  readonly #capacity: number;
  readonly #made = new WeakMap<Coverage, LruCache<string, Made>>();

  /** @param capacity maximum number of values for each build */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param make computes a missing value; if it throws, nothing is cached */
  get(coverage: Coverage, question: string, make: () => Made): Made {
    const known = this.#made.get(coverage) ?? new LruCache<string, Made>(this.#capacity);
    this.#made.set(coverage, known);
    return known.get(question, make);
  }
}
