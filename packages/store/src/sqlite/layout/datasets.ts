import { datasetProperty } from "@cadastre/entitlement/resources";
import type { Column } from "@cadastre/odata";
import { identifier, render, type SqlFragment, sql, sqlite, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";

/**
 * Dictionary encoding of dataset ids: records refer to their dataset by a number. The indexes of a scope's rows begin with the dataset, and
 * a UUID would make their entries three times as long. A dataset gets its number when it is first used and keeps it.
 */
export const datasetTable = "cadastre_dataset";

const [table, number, id] = [identifier(datasetTable), identifier("number"), identifier("dataset_id")];
const held = identifier(datasetProperty.name);

/** Returns a subquery for the numbers of a list of datasets. */
export const numbersOf = (ids: SqlFragment): SqlFragment =>
  sql`select ${number} from ${table} where ${id} in (${ids})`;
const idOf = (of: SqlFragment): SqlFragment => sql`select ${id} from ${table} where ${number} = ${of}`;

/** Declared type of the column of a record's dataset. */
export const datasetType = "integer";

/** Expression for a record's dataset id, as a scalar subquery. */
export const datasetId = sql`(${idOf(held)})`;

/** Condition that a row is of a dataset. */
export const isOfSqliteDataset = (datasetId: string): SqlFragment =>
  sql`${held} in (${numbersOf(value(datasetId))})`;

/**
 * Makes the planner prefer an index. By default SQLite prefers a scan of the whole table if an index finds more than about seven of ten
 * rows. The choice would then depend on the number of rows of other datasets, and a scan would also read those.
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

/** Cache of dataset ids by number, for a connection that sees only committed data. */
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

/** Cache of dataset numbers during one commit. Discard it if the commit fails, because its new numbers are rolled back. */
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
