import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { LruCache } from "@cadastre/odata/lru-cache";
import { join, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";
import { statementText } from "../../database/statement-text.ts";
import type { TableSchema } from "../../schema/table.ts";

/** Number of statements that are kept. Most changes of listings are of few kinds, such as another price or status. */
const keptStatements = 64;

/** True if a value that is to be written equals the value read. */
export const isSame = (written: unknown, read: unknown): boolean =>
  written === read || (typeof written === "number" && typeof read === "bigint" && BigInt(written) === read);

/**
 * Updates rows, and of their indexed columns only those whose values differ: SQLite writes the entries of all indexes on an updated column
 * anew, even if its value stays.
 */
export class RowUpdater {
  readonly #find: Statement;
  readonly #indexed: readonly number[];
  readonly #prepare: (changed: readonly number[]) => Statement;
  readonly #statements = new LruCache<string, Statement>(keptStatements);
  /** Positions of the columns that are always written. */
  readonly #others: readonly number[];

  /** @param names names of the written columns, beginning with those of the table */
  constructor(database: Database, table: TableSchema, names: readonly string[]) {
    const indexed = new Set(
      [table.key, ...[...table.indexes, ...table.folded].map(({ columns }) => columns)].flat(),
    );
    const columns = names.map((name) => identifier(name));
    const positions = names.map((_, i) => i);
    const isIndexed = (position: number) => {
      const column = table.columns[position];
      return column !== undefined && indexed.has(column);
    };
    this.#indexed = positions.filter(isIndexed);
    this.#others = positions.filter((position) => !isIndexed(position));
    const listed = (of: readonly number[], form: (column: SqlFragment) => SqlFragment) =>
      join(
        of.map((position) => form(columns[position] as SqlFragment)),
        ", ",
      );
    const [rows, ofRow] = [identifier(table.name), sql`rowid = ${value(null)}`];
    const read = listed(this.#indexed, (column) => column);
    this.#find = database
      .prepare(statementText(sql`select ${read} from ${rows} where ${ofRow}`))
      .raw()
      .safeIntegers();
    this.#prepare = (written) => {
      const set = listed(written, (column) => sql`${column} = ${value(null)}`);
      return database.prepare(statementText(sql`update ${rows} set ${set} where ${ofRow}`));
    };
  }

  /** @param values values of all columns */
  run(rowid: bigint, values: readonly unknown[]): void {
    const present = this.#find.get(rowid) as readonly unknown[];
    const changed = this.#indexed.filter((position, i) => !isSame(values[position], present[i]));
    const written = [...this.#others, ...changed];
    const statement = this.#statements.get(changed.join(" "), () => this.#prepare(written));
    statement.run(...written.map((position) => values[position]), rowid);
  }
}
