import type { CompiledSql } from "@cadastre/odata";
import { LruCache } from "@cadastre/odata/lru-cache";
import type { Database, Statement } from "better-sqlite3";
import { datasetTable } from "../layout/datasets.ts";
import { rowsInOne } from "./rows-in-one.ts";

/** Capacity of the LRU cache. */
const capacity = 256;

/** Matches steps of a query plan that read rows, except the small table of datasets; and steps that read only an index. */
const looks = new RegExp(`^(SCAN|SEARCH) (?!${datasetTable}\\b)`);
const isCovered = / USING COVERING INDEX /;

type Prepared = {
  readonly statement: Statement;
  isCovered: boolean | undefined;
  /** See {@link rowsInOne}. */
  inOne: Statement | undefined;
};

/** LRU cache of prepared statements by SQL text. Rows are returned as arrays, and integers as bigint. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new LruCache<string, Prepared>(capacity);

  constructor(database: Database) {
    this.#database = database;
  }

  prepare(text: string): Statement {
    return this.#prepared(text).statement;
  }

  /** Prepares a statement that returns all rows of a statement as one, see {@link rowsInOne}. */
  prepareInOne(text: string): Statement {
    const prepared = this.#prepared(text);
    prepared.inOne ??= this.#prepare(rowsInOne(text, prepared.statement.columns().length));
    return prepared.inOne;
  }

  /** True if indexes alone answer the statement, so that no record is read. */
  isCovered(compiled: CompiledSql): boolean {
    const prepared = this.#prepared(compiled.text);
    prepared.isCovered ??= this.plan(compiled).every((step) => !looks.test(step) || isCovered.test(step));
    return prepared.isCovered;
  }

  /** Returns SQLite's query plan of a statement, one line per step. */
  plan({ text, values }: CompiledSql): readonly string[] {
    const steps = this.#database.prepare(`explain query plan ${text}`).all(...values);
    return (steps as { detail: string }[]).map(({ detail }) => detail);
  }

  #prepared(text: string): Prepared {
    return this.#statements.get(text, () => ({
      statement: this.#prepare(text),
      isCovered: undefined,
      inOne: undefined,
    }));
  }

  #prepare(text: string): Statement {
    return this.#database.prepare(text).raw().safeIntegers();
  }
}
