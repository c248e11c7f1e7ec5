import { LruCache } from "@cadastre/odata/lru-cache";

/** Maximum number of prepared statements on a connection. */
const capacity = 256;

export type Prepared = { readonly name: string; readonly isNew: boolean };

/** LRU cache of the names of a connection's prepared statements, by SQL text. */
export class Statements {
  readonly #names = new LruCache<string, string>(capacity, (name) => this.#dropped.push(name));
  #dropped: string[] = [];
  #last = 0;

  /** Returns the name of a statement. If it is new, the caller must parse the statement under this name. */
  prepare(text: string): Prepared {
    const isNew = !this.#names.has(text);
    return { name: this.#names.get(text, () => `cadastre_${++this.#last}`), isNew };
  }

  /** Removes a statement. It need not have been parsed. */
  forget(text: string): void {
    this.#names.delete(text);
  }

  /** Returns the names of statements removed since the last call, for the server to close. */
  takeDropped(): readonly string[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }
}
