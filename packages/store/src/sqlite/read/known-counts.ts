import type { CompiledSql } from "@cadastre/odata";
import { LruCache } from "@cadastre/odata/lru-cache";
import type { Database, Statement } from "better-sqlite3";
import { statementKey } from "../../read/statement-key.ts";

/** Capacity of the LRU cache. */
const capacity = 1000;

/**
 * Counts that a connection has made since the database last changed: a page of a walk has the count of the page before. Only for a connection that
 * writes nothing, since SQLite tells only of what others have written.
 */
export class KnownCounts {
  /** Source: https://www.sqlite.org/pragma.html#pragma_data_version */
  readonly #dataVersion: Statement;
  #version: unknown;
  #counts = new LruCache<string, number>(capacity);

  constructor(database: Database) {
    this.#dataVersion = database.prepare("pragma data_version").pluck();
  }

  /** Returns the number that a statement selects, in the current transaction. */
  get(statement: CompiledSql, count: () => number): number {
    const version = this.#dataVersion.get();
    if (version !== this.#version) this.#counts = new LruCache(capacity);
    this.#version = version;
    const key = statementKey(statement);
    return key === undefined ? count() : this.#counts.get(key, count);
  }
}
