/**
 * The LRU cache of all packages.
 *
 * @module
 */

/** LRU cache. */
export class LruCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #capacity: number;
  readonly #onRemove: ((value: Value) => void) | undefined;
  #newest: Key | undefined;

  /**
   * @param capacity maximum number of entries
   * @param onRemove called with each value that is evicted or deleted
   */
  constructor(capacity: number, onRemove?: (value: Value) => void) {
    this.#capacity = capacity;
    this.#onRemove = onRemove;
  }

  /**
   * Returns the value of a key. If there is none, creates it and evicts the least recently used entry when the cache is full. If `make`
   * throws, nothing is cached.
   */
  get(key: Key, make: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined && key === this.#newest) return known;
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#newest = key;
    if (this.#values.size > this.#capacity) {
      const [oldest] = this.#values.keys();
      this.delete(oldest as Key);
    }
    return value;
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  delete(key: Key): void {
    const value = this.#values.get(key);
    if (this.#values.delete(key) && value !== undefined) this.#onRemove?.(value);
  }
}
