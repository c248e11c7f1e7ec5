import type { CompiledSql } from "@cadastre/odata";
import type { Database, Statement } from "better-sqlite3";
import { Recent } from "../recent.ts";
import { datasetTable } from "./datasets.ts";

/** Statements kept prepared, the least recently used one leaving first. */
const capacity = 256;

/** A step that looks at rows, but for the few of the datasets; and one that looks at an index alone. */
const looks = new RegExp(`^(SCAN|SEARCH) (?!${datasetTable}\\b)`);
const isCovered = / USING COVERING INDEX /;

type Prepared = { readonly statement: Statement; isCovered: boolean | undefined };

/** Prepared statements by their text. Rows come as arrays, integers as bigint. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new Recent<string, Prepared>(capacity);

  constructor(database: Database) {
    this.#database = database;
  }

  prepare(text: string): Statement {
    return this.#prepared(text).statement;
  }

  /** Whether indexes alone answer the statement, without a look at a record. */
  isCovered(compiled: CompiledSql): boolean {
    const prepared = this.#prepared(compiled.text);
    prepared.isCovered ??= this.plan(compiled).every((step) => !looks.test(step) || isCovered.test(step));
    return prepared.isCovered;
  }

  /** The database's plan for a statement, a step a line. */
  plan({ text, values }: CompiledSql): readonly string[] {
    const steps = this.#database.prepare(`explain query plan ${text}`).all(...values);
    return (steps as { detail: string }[]).map(({ detail }) => detail);
  }

  #prepared(text: string): Prepared {
    return this.#statements.get(text, () => ({
      statement: this.#database.prepare(text).raw().safeIntegers(),
      isCovered: undefined,
    }));
  }
}
