import { datasetProperty } from "@cadastre/entitlement/resources";
import type { Column } from "@cadastre/odata";
import { identifier, render, type SqlFragment, sql, sqlite, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";

/**
 * The datasets by number. A record names its own by it: the indexes of a scope's rows begin with the dataset, and a
 * UUID makes their entries three times as long. Numbers are given as datasets first come, and never change.
 */
export const datasetTable = "cadastre_dataset";

const [table, number, id] = [identifier(datasetTable), identifier("number"), identifier("dataset_id")];
const held = identifier(datasetProperty.name);

const numbersOf = (ids: SqlFragment): SqlFragment =>
  sql`select ${number} from ${table} where ${id} in (${ids})`;
const idOf = (of: SqlFragment): SqlFragment => sql`select ${id} from ${table} where ${number} = ${of}`;

/** Declared type of the column of a record's dataset. */
export const datasetType = "integer";

/** The dataset of a record, by itself. */
export const datasetId = sql`(${idOf(held)})`;

/**
 * SQLite prefers a scan of the whole table to an index if the index finds more than about seven of ten rows. So the choice would depend
 * on how many rows the other datasets have, and a scan reads those too.
 */
const preferIndex = (condition: SqlFragment): SqlFragment => sql`likelihood(${condition}, 0.5)`;

/** @param database a connection that sees only what was committed */
export function datasetColumn(database: Database): Column {
  const find = prepare(database, numbersOf(value(null)));
  const numbers = new Map<unknown, bigint>();
  const known = (dataset: unknown): bigint | undefined => {
    const number = numbers.get(dataset) ?? (find.get(dataset) as bigint | undefined);
    if (number !== undefined) numbers.set(dataset, number);
    return number;
  };
  return { sql: datasetId, codes: { sql: held, of: numbersOf, known, hint: preferIndex } };
}

const prepare = (database: Database, statement: SqlFragment): Statement =>
  database.prepare(render(statement, sqlite.placeholder).text).pluck().safeIntegers();

export function createDatasets(database: Database): void {
  const columns = sql`${number} integer primary key, ${id} text not null unique`;
  database.exec(render(sql`create table if not exists ${table} (${columns})`, sqlite.placeholder).text);
}

/** The datasets that numbers stand for, remembered: of a connection that sees only what was committed. */
export class DatasetIds {
  readonly #find: Statement;
  readonly #known = new Map<bigint | null, string | null>([[null, null]]);

  constructor(database: Database) {
    this.#find = prepare(database, idOf(value(null)));
  }

  of(number: bigint | null): string | null {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const found = this.#find.get(number) as string;
    this.#known.set(number, found);
    return found;
  }
}

/** The numbers of datasets, remembered for one commit: those that it gives are gone if it fails. */
export class DatasetNumbers {
  readonly #find: Statement;
  readonly #give: Statement;
  readonly #known = new Map<string, bigint>();

  constructor(database: Database) {
    this.#find = prepare(database, numbersOf(value(null)));
    this.#give = prepare(
      database,
      sql`insert into ${table} (${id}) values (${value(null)}) returning ${number}`,
    );
  }

  of(dataset: string): bigint {
    const known = this.#known.get(dataset);
    if (known !== undefined) return known;
    const found = (this.#find.get(dataset) ?? this.#give.get(dataset)) as bigint;
    this.#known.set(dataset, found);
    return found;
  }
}
