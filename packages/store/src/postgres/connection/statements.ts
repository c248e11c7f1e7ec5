import type { CompiledSql } from "@cadastre/odata";
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

/**
 * Matches pages of a dataset in the order of a time, from a time on: the usual question of who keeps a copy. One index has such a page in one
 * piece, whatever the values are.
 */
const fromTimeOn =
  / where \((?:"cadastre_from" <= \$\d+::bigint and )?"DatasetId" = \$\d+::text and ("\w+") >=? \$\d+::timestamptz\)(?: and \(\1, "\w+" collate "C"\) > \(\$\d+::timestamptz, \$\d+::text\))? order by \1 asc/;

/** True for a statement whose best plan is the same for all values, but which PostgreSQL would plan anew for each page, see {@link keepPlans}. */
export const hasOnePlan = (text: string): boolean =>
  text.split(" union all ").every((term) => fromTimeOn.test(term));

/**
 * Has the statements of a transaction use plans that were made for all values. PostgreSQL does not know how few rows a page has, takes such a plan
 * for dear, and often makes a new one instead, which takes as long as reading a hundred records.
 */
export const keepPlans: CompiledSql = { text: "set local plan_cache_mode = force_generic_plan", values: [] };

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
