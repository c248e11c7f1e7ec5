import { LruCache } from "@cadastre/odata/lru-cache";
import type { StatementKind } from "../../database/postgres-transactions.ts";
import { type Prepared, unnamed } from "../../database/postgres-wire.ts";

/** Maximum number of prepared statements on a connection. */
const capacity = 256;

/**
 * Matches statements that search texts by a trigram index or compare a column with a bound. They are not prepared: the best plan depends on how
 * common the searched text is, or on how much lies within the bounds, and a prepared statement may get one plan for all of them. Times are
 * excepted: what is asked for since a time is read in the order of time, whatever the time is.
 */
const dependsOnValues = / like \$\d+::text|"(?!cadastre_)\w+" [<>]=? \$\d+::(?!timestamptz)/;

/** LRU cache of the names of a connection's prepared statements, by SQL text. Unnamed statements are not kept. */
export class Statements {
  readonly #names = new LruCache<string, string>(capacity, (name) => this.#dropped.push(name));
  #dropped: string[] = [];
  readonly #kind: StatementKind;
  #last = 0;

  constructor(kind: StatementKind) {
    this.#kind = kind;
  }

  prepare(text: string): Prepared {
    const isNew = !this.#names.has(text);
    if (isNew && (this.#kind === "unnamed" || dependsOnValues.test(text))) return unnamed;
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
