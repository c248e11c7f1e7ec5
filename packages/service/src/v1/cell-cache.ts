import type { CellCounts, Store } from "@cadastre/store";

/** Greatest number of bytes that are kept. */
const mostBytes = 32 * 1024 ** 2;

/** LRU cache of the counts by cell of a store, by question. Those of an earlier state are where the current ones are computed from. */
export class CellCache {
  readonly #counts = new Map<string, CellCounts>();
  #bytes = 0;

  find(question: string): CellCounts | undefined {
    const known = this.#counts.get(question);
    if (known === undefined) return undefined;
    this.#drop(question);
    this.#put(question, known);
    return known;
  }

  keep(question: string, counts: CellCounts): void {
    this.#drop(question);
    if (counts.cells.byteLength > mostBytes / 2) return;
    this.#put(question, counts);
    for (const oldest of this.#counts.keys()) {
      if (this.#bytes <= mostBytes) break;
      this.#drop(oldest);
    }
  }

  #put(question: string, counts: CellCounts): void {
    this.#counts.set(question, counts);
    this.#bytes += counts.cells.byteLength;
  }

  #drop(question: string): void {
    this.#bytes -= this.#counts.get(question)?.cells.byteLength ?? 0;
    this.#counts.delete(question);
  }
}

const caches = new WeakMap<Store, CellCache>();

/** Returns the cache of a store. */
export function cellCacheOf(store: Store): CellCache {
  const cache = caches.get(store) ?? new CellCache();
  caches.set(store, cache);
  return cache;
}
