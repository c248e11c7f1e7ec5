/** LRU cache. */
export class LruCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Returns the value of a key. If there is none, creates it and evicts the least recently used entry when the cache is full.
   */
  get(key: Key, make: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#capacity && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  delete(key: Key): void {
    this.#values.delete(key);
  }
}
