/** Values by key, of which the least recently used leaves first. */
export class Recent<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a key; made, and another forgotten, if there is none. */
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
