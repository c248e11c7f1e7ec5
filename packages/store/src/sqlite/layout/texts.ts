import { datasetProperty } from "@cadastre/entitlement";
import { fts5GramIndex, identifier, type SqlFragment, sql, sqlite } from "@cadastre/odata";
import type { TextIndex } from "@cadastre/odata/compile";
import { gramsOf } from "@cadastre/odata/functions";
import { render, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";
import type { TableSchema, TextSchema } from "../../schema/table.ts";
import { numbersOf } from "./datasets.ts";

/**
 * Trigram index of a column of texts, as an FTS5 table. Each gram is preceded by the number of the dataset, so a search reads entries of the
 * datasets that its query names and no others. Rows without a text or a dataset are not in it.
 */
export const gramIndexOf = ({ name: table }: TableSchema, { name }: TextSchema): TextIndex =>
  fts5GramIndex(name, sql`${identifier(table)}.rowid`, { property: datasetProperty, numbers: numbersOf });

/** Tables that FTS5 keeps for an index, by the end of their names. */
export const textTables = ["", "_data", "_idx", "_docsize", "_config"] as const;

const textOf = (statement: SqlFragment): string => render(statement, sqlite.placeholder).text;

/** Creates and fills the index of a column of texts, within the caller's transaction. */
export function createTexts(database: Database, table: TableSchema, text: TextSchema): void {
  database.exec(
    textOf(
      sql`create virtual table ${identifier(text.name)} using fts5(grams, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    ),
  );
  const writer = new TextWriter(database, table, text);
  const columns = sql`${identifier(text.column.name)}, ${identifier(datasetProperty.name)}`;
  const [after, limit] = [sql`rowid > ${value(null)}`, sql`order by rowid limit 1000`];
  const select = sql`select rowid, ${columns} from ${identifier(table.name)} where ${after} ${limit}`;
  const read = database.prepare(textOf(select)).raw().safeIntegers();
  // A connection cannot write while a statement reads, so rows are read in batches.
  for (let last = -1n, rows: TextRow[] = []; ; ) {
    rows = read.all(last) as TextRow[];
    for (const [rowid, content, dataset] of rows) writer.add(rowid, content, dataset);
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end[0];
  }
}

type TextRow = readonly [rowid: bigint, text: unknown, dataset: unknown];

export const dropTexts = (database: Database, name: string): void =>
  void database.exec(textOf(sql`drop table if exists ${identifier(name)}`));

/** Updates the index of a column of texts, within the caller's transaction. */
export class TextWriter {
  readonly #position: number;
  readonly #dataset: number;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #delete: Statement;

  constructor(database: Database, table: TableSchema, { name, column }: TextSchema) {
    const [texts, ofRow] = [identifier(name), sql`rowid = ${value(null)}`];
    const prepare = (statement: SqlFragment) => database.prepare(textOf(statement)).safeIntegers();
    const columns = sql`${identifier(column.name)}, ${identifier(datasetProperty.name)}`;
    this.#position = table.columns.indexOf(column);
    this.#dataset = table.columns.indexOf(datasetProperty);
    this.#insert = prepare(sql`insert into ${texts} (rowid, grams) values (${value(null)}, ${value(null)})`);
    this.#find = prepare(sql`select ${columns} from ${identifier(table.name)} where ${ofRow}`).raw();
    this.#delete = prepare(sql`delete from ${texts} where ${ofRow}`);
  }

  /** @param row values of all columns of the table */
  insert(rowid: number | bigint, row: readonly unknown[]): void {
    this.add(rowid, row[this.#position], row[this.#dataset]);
  }

  /** Call it before the row is updated. */
  update(rowid: bigint, row: readonly unknown[]): void {
    const [content, dataset] = (this.#find.get(rowid) ?? []) as readonly unknown[];
    if (content === row[this.#position] && dataset === row[this.#dataset]) return;
    this.#delete.run(rowid);
    this.insert(rowid, row);
  }

  delete(rowid: bigint): void {
    this.#delete.run(rowid);
  }

  /** Adds a text of a dataset, which is given by its number. */
  add(rowid: number | bigint, content: unknown, dataset: unknown): void {
    if (typeof content !== "string" || (typeof dataset !== "bigint" && typeof dataset !== "number")) return;
    const grams = gramsOf(content);
    if (grams.length > 0) this.#insert.run(rowid, grams.map((gram) => `${dataset}${gram}`).join(" "));
  }
}

/** Counts the rows whose text has no entry in the index, and the entries without such a row. Does not read what the entries contain. */
export function missingTexts(database: Database, table: TableSchema, { name, column }: TextSchema): number {
  const [rows, entries, text] = [
    identifier(table.name),
    identifier(`${name}_docsize`),
    identifier(column.name),
  ];
  const select = sql`select ${rows}.rowid, ${text}, id is not null, ${identifier(datasetProperty.name)} from ${rows} left join ${entries} on id = ${rows}.rowid`;
  let missing = 0;
  for (const row of database.prepare(textOf(select)).raw().iterate()) {
    const [, content, isThere, dataset] = row as readonly [number, unknown, number, unknown];
    const isIndexed = typeof content === "string" && dataset !== null && gramsOf(content).length > 0;
    if (isIndexed !== (isThere === 1)) missing++;
  }
  const dangling = sql`select count(*) from ${entries} where id not in (select rowid from ${rows})`;
  return missing + (database.prepare(textOf(dangling)).pluck().get() as number);
}
