/** Maximum number of prepared statements on a connection. */
const capacity = 256;

export type Prepared = { readonly name: string; readonly isNew: boolean };

/** LRU cache of the names of a connection's prepared statements, by SQL text. */
export class Statements {
  readonly #names = new Map<string, string>();
  #dropped: string[] = [];
  #last = 0;

  /** Returns the name of a statement. If it is new, the caller must parse the statement under this name. */
  prepare(text: string): Prepared {
    const known = this.#names.get(text);
    const name = known ?? `cadastre_${++this.#last}`;
    this.#names.delete(text);
    this.#names.set(text, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > capacity && oldest !== undefined) this.forget(oldest);
    return { name, isNew: known === undefined };
  }

  /** Removes a statement. It need not have been parsed. */
  forget(text: string): void {
    const name = this.#names.get(text);
    if (name === undefined) return;
    this.#names.delete(text);
    this.#dropped.push(name);
  }

  /** Returns the names of statements removed since the last call, for the server to close. */
  takeDropped(): readonly string[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }
}
