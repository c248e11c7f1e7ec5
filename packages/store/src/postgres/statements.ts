/** Statements kept prepared on a connection, the least recently used one leaving first. */
const capacity = 256;

export type Prepared = { readonly name: string; readonly isNew: boolean };

/** The names of one connection's prepared statements, by their text. */
export class Statements {
  readonly #names = new Map<string, string>();
  #dropped: string[] = [];
  #last = 0;

  /** The name of a statement, which is to be parsed under it if it is new. */
  prepare(text: string): Prepared {
    const known = this.#names.get(text);
    const name = known ?? `cadastre_${++this.#last}`;
    this.#names.delete(text);
    this.#names.set(text, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > capacity && oldest !== undefined) this.forget(oldest);
    return { name, isNew: known === undefined };
  }

  /** Drop a statement: whether it was ever parsed does not matter. */
  forget(text: string): void {
    const name = this.#names.get(text);
    if (name === undefined) return;
    this.#names.delete(text);
    this.#dropped.push(name);
  }

  /** Names that the server may forget, each told once. */
  takeDropped(): readonly string[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }
}
