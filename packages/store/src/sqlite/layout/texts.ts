import { datasetProperty } from "@cadastre/entitlement/resources";
import { gramsOf } from "@cadastre/odata/functions";
import { identifier, render, type SqlFragment, sql, sqlite, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";
import { statementText } from "../../database/statement-text.ts";
import type { CheckedIndex, CheckedTable, TableSchema, TextSchema } from "../../schema/table.ts";

/** Tables that FTS5 keeps for an index, by the end of their names. */
export const textTables = ["", "_data", "_idx", "_docsize", "_config"] as const;

/** Creates and fills the index of a column of texts, within the caller's transaction. */
export function createTexts(database: Database, table: TableSchema, text: TextSchema): void {
  database.exec(
    statementText(
      sql`create virtual table ${identifier(text.name)} using fts5(grams, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    ),
  );
  const writer = new TextWriter(database, table, text);
  const columns = sql`${identifier(text.column.name)}, ${identifier(datasetProperty.name)}`;
  const [after, limit] = [sql`rowid > ${value(null)}`, sql`order by rowid limit 1000`];
  const select = sql`select rowid, ${columns} from ${identifier(table.name)} where ${after} ${limit}`;
  const read = database.prepare(statementText(select)).raw().safeIntegers();
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
  void database.exec(statementText(sql`drop table if exists ${identifier(name)}`));

/** Updates the index of a column of texts, within the caller's transaction. */
export class TextWriter {
  readonly #position: number;
  readonly #dataset: number;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #delete: Statement;

  constructor(database: Database, table: TableSchema, { name, column }: TextSchema) {
    const [texts, ofRow] = [identifier(name), sql`rowid = ${value(null)}`];
    const prepare = (statement: SqlFragment) => database.prepare(statementText(statement)).safeIntegers();
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
    const terms = termsOf(content, dataset);
    if (terms.length > 0) this.#insert.run(rowid, terms.join(" "));
  }
}

function termsOf(content: unknown, dataset: unknown): readonly string[] {
  if (typeof content !== "string" || (typeof dataset !== "bigint" && typeof dataset !== "number")) return [];
  return gramsOf(content).map((gram) => `${dataset}${gram}`);
}

/** Returns whether an index has the entries of the texts of its table, and no others. Reads all of both. */
export function matchesTexts(
  database: Database,
  table: CheckedTable,
  { name, column }: CheckedIndex,
): boolean {
  const [index, vocabulary] = [identifier(name), identifier(`${name}_vocabulary`)];
  const read = (statement: SqlFragment) => {
    const { text, values } = render(statement, sqlite.placeholder);
    return database
      .prepare(text)
      .raw()
      .iterate(...values);
  };
  const found = new EntrySum();
  const whole = value(2 ** 32);
  const remainder = sql`(doc % ${value(modulus)})`;
  const sums = sql`count(*), sum(doc) % ${whole}, sum(${remainder} * ${remainder}) % ${whole}`;
  database.exec(
    statementText(sql`create virtual table temp.${vocabulary} using fts5vocab(main, ${index}, instance)`),
  );
  for (const row of read(sql`select term, ${sums} from ${vocabulary} group by term`)) {
    const [term, ...sumsOfTerm] = row as [string, ...Sums];
    found.add(term, sumsOfTerm);
  }
  database.exec(statementText(sql`drop table ${vocabulary}`));
  // Rows that FTS5 can delete are those that this table lists.
  for (const row of read(sql`select ${sums} from (select id as doc from ${identifier(`${name}_docsize`)})`))
    found.add(everyRow, row as Sums);

  const expected = new EntrySum();
  const columns = sql`${identifier(column.name)}, ${identifier(datasetProperty.name)}`;
  for (const row of read(sql`select rowid, ${columns} from ${identifier(table.name)}`)) {
    const [rowid, content, dataset] = row as [number, unknown, unknown];
    const terms = termsOf(content, dataset);
    const sumsOfRow: Sums = [1, rowid, (rowid % modulus) ** 2];
    for (const term of terms.length > 0 ? [everyRow, ...terms] : []) expected.add(term, sumsOfRow);
  }
  return found.equals(expected);
}

/** Number of rows, sum of their ids, and sum of the squares of what remains of the ids modulo {@link modulus}; sums may be modulo 2^32. */
type Sums = [count: number, ids: number, squares: number];

const modulus = 65521;

/** Stands for a term that each row has. */
const everyRow = "";

/** Sums over entries of an index, modulo 2^32, in which each entry is multiplied by a hash of its term. Their order does not matter. */
class EntrySum {
  readonly #sums = new Int32Array(3);

  add(term: string, sums: Readonly<Sums>): void {
    let hash = 0;
    for (let i = 0; i < term.length; i += 1)
      hash = Math.imul(hash ^ term.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
    for (const [i, sum] of sums.entries())
      this.#sums[i] = ((this.#sums[i] ?? 0) + Math.imul(hash | 1, sum)) | 0;
  }

  equals(other: EntrySum): boolean {
    return this.#sums.every((sum, i) => sum === other.#sums[i]);
  }
}
