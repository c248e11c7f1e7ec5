import { identifier, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import type { SchemaDialect } from "../schema/object.ts";
import { stagedColumns, stagedKey, type TableSchema, validity } from "../schema/table.ts";
import { createTables } from "./create-tables.ts";
import type { SchemaTransaction } from "./schema-transaction.ts";

/**
 * Gives the tables of a resource the primary keys of the present schema. Staged removals of earlier versions did not say their dataset:
 * they get that of the record, and those without a record are dropped.
 *
 * @throws {StoreError} `schema_unsupported` if a record has no dataset and should have one
 */
export async function changeKeys(
  table: TableSchema,
  transaction: SchemaTransaction,
  dialect: SchemaDialect,
): Promise<void> {
  const { session, changePrimaryKey } = transaction;
  for (const name of [table.name, table.closed]) await requireDatasets(table, name, transaction, dialect);
  await fillStagedDatasets(session, table, dialect);
  if (changePrimaryKey === undefined) return makeStagedAgain(table, transaction, dialect);
  const key = dialect.primaryKey(table);
  await changePrimaryKey(table.name, key);
  await changePrimaryKey(table.closed, [...key, validity.to.name]);
  await changePrimaryKey(table.staged, stagedKey(table));
}

async function fillStagedDatasets(
  session: Session,
  table: TableSchema,
  { datasetId }: SchemaDialect,
): Promise<void> {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const dataset = identifier(stagedColumns.dataset);
  const isOfRecord = join(
    table.key.map(({ name }) => sql`${current}.${identifier(name)} = ${staged}.${identifier(name)}`),
    " and ",
  );
  await session.rows(
    sql`update ${staged} set ${dataset} = (select ${datasetId} from ${current} where ${isOfRecord})
  where ${dataset} is null and ${identifier(stagedColumns.record)} is null`,
  );
  if (!table.shared) await session.rows(sql`delete from ${staged} where ${dataset} is null`);
}

async function requireDatasets(
  table: TableSchema,
  name: string,
  { session }: SchemaTransaction,
  { datasetId }: SchemaDialect,
): Promise<void> {
  if (table.shared) return;
  const key = table.key.map((property) => identifier(property.name));
  const [record] = await session.rows(
    sql`select ${join(key, ", ")} from ${identifier(name)} where ${datasetId} is null limit ${value(1)}`,
  );
  if (record !== undefined)
    throw new StoreError(
      "schema_unsupported",
      `${name} has a record without a dataset: ${record.join(", ")}`,
    );
}

/** Creates the table of staged changes again with the same rows, for a database that cannot change the key of a table. */
async function makeStagedAgain(
  table: TableSchema,
  { knex, session, beforeColumns }: SchemaTransaction,
  dialect: SchemaDialect,
): Promise<void> {
  const [staged, kept] = [identifier(table.staged), identifier("cadastre_staged_before")];
  await session.rows(sql`create temporary table ${kept} as select * from ${staged}`);
  await beforeColumns?.(table.staged);
  await session.rows(sql`drop table ${staged}`);
  await createTables(knex, table, dialect, new Set([table.name, table.closed]));
  await session.rows(sql`insert into ${staged} select * from ${kept}`);
  await session.rows(sql`drop table ${kept}`);
}
