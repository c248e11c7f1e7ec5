import type { CompiledSql } from "@cadastre/odata";
import type { Database, Statement } from "better-sqlite3";

/** Statements kept prepared, the least recently used one leaving first. */
const capacity = 256;

/** Prepared statements by their text. Rows come as arrays, integers as bigint. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  prepare({ text }: CompiledSql): Statement {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text).raw().safeIntegers();
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > capacity && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}
