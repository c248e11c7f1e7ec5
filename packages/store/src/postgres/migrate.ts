import { createHash } from "node:crypto";
import { identifier, postgres, sql } from "@cadastre/odata";
import { postgresHelpers } from "@cadastre/odata/postgres";
import { join, value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import { createSchemaIfAbsent } from "../database/create-schema.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import type { Session } from "../database/session.ts";
import { statementText } from "../database/statement-text.ts";
import { StoreError } from "../errors.ts";
import type { CatalogQueries } from "../migration/found.ts";
import { type MigratedSchema, migrateListings, type SchemaTarget } from "../migration/migrate.ts";
import type { SchemaTransaction } from "../migration/schema-transaction.ts";
import { type SchemaDialect, schemaObjects } from "../schema/object.ts";
import { type PointSchema, type TableSchema, tableOf } from "../schema/table.ts";
import type { StoredResource } from "../stored-resource.ts";
import { onConnection, poolOf, postgresSession } from "./connection/session.ts";
import { lockCommits, writePostgresNote } from "./layout/bookkeeping.ts";
import {
  columnEncoding,
  pointExpression,
  postgresDatasetId,
  postgresSha256,
  primaryKey,
  typeOf,
} from "./layout/columns.ts";
import {
  datasetsWithPartitions,
  type Partitioning,
  partitionTables,
  readPartitioning,
  tablesWithRows,
} from "./layout/partitions.ts";
import { setCounterStorage, setStorage } from "./layout/storage.ts";
import { createAnalyzeFunction } from "./statistics.ts";
import { createTextIndex, installTextSearch, lacksTextSearch } from "./text-search.ts";

const dialect: SchemaDialect = {
  dialect: postgres,
  formOf: columnEncoding,
  // Text is sorted by code point, as everywhere in the store.
  declaredType: (property) =>
    columnEncoding(property) === "text" && !property.collection
      ? `text collate "C"`
      : statementText(typeOf(property)),
  recordType: "json",
  sorted: ({ name, nullable }) => (nullable ? sql`${identifier(name)} nulls first` : identifier(name)),
  datasetId: postgresDatasetId,
  primaryKey,
  sha256: postgresSha256,
  pointsVersion: "gist 1",
  textsVersion: "gin 1",
};

const catalog: CatalogQueries = {
  relations: sql`select relname from pg_catalog.pg_class where relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  // Several times as fast as `information_schema.columns`.
  columns: sql`select relname, attname from pg_catalog.pg_attribute join pg_catalog.pg_class on pg_class.oid = attrelid
  where relnamespace = to_regnamespace(quote_ident(current_schema())) and attnum > 0 and not attisdropped`,
};

/** Migrates a schema of the database to that of the resources, see `migrateListings`. */
export async function migratePostgres(
  knex: Knex,
  schema: string,
  resources: readonly StoredResource[],
  options: SchemaOptions & { readonly partitions?: Partitioning | undefined },
): Promise<MigratedSchema> {
  const { partitions } = options;
  if ((await knex("pg_catalog.pg_namespace").where({ nspname: schema })).length === 0) {
    if (options.existing === true) throw new StoreError("schema_absent", schema);
    await inTransaction(knex, schema, [], partitions, ({ knex }) => createSchemaIfAbsent(knex, schema));
  }
  const target: SchemaTarget = {
    resources,
    dialect,
    catalog,
    options,
    lacksFunctions: async (session) =>
      (await lacksFunctions(session, schema)) ||
      (partitions !== undefined && (await unpartitioned(session, resources)).length > 0),
    lacksTextSearch,
    read: (work) => onConnection(knex, work),
    transaction: (work) =>
      inTransaction(knex, schema, resources, partitions, async (transaction) => {
        const migrated = await work(transaction);
        for (const { name, closed } of resources.map(tableOf))
          for (const table of [name, closed])
            await setStorage(transaction.knex, await tablesWithRows(transaction.session, table));
        await setCounterStorage(transaction.knex);
        return migrated;
      }),
  };
  return migrateListings(target);
}

const inTransaction = <T>(
  knex: Knex,
  schema: string,
  resources: readonly StoredResource[],
  partitions: Partitioning | undefined,
  work: (transaction: SchemaTransaction) => Promise<T>,
): Promise<T> =>
  knex.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`cadastre ${schema}`]);
    // Blocks commits until the migration ends.
    if (await transaction.schema.hasTable("cadastre_commit")) await lockCommits(transaction);
    const session = postgresSession(await poolOf(transaction).acquireConnection());
    return work({
      knex: transaction,
      session,
      createPoints: (table, point) => createPointIndex(transaction, table, point),
      changePrimaryKey: (table, columns) => changePrimaryKey(transaction, table, columns),
      dropPoints: async (name) => transaction.raw("drop index if exists ??", [name]),
      createTexts: (table, text) => createTextIndex(transaction, session, table, text),
      dropTexts: async (name) => transaction.raw("drop index if exists ??", [name]),
      installTextSearch: (say) => installTextSearch(transaction, session, say),
      partition: async () => {
        const partitioning = partitions ?? (await foundPartitioning(session, resources));
        const tables = await unpartitioned(session, resources);
        if (partitioning === undefined || tables.length === 0) return false;
        await partitionTables(transaction, session, tables, partitioning);
        return true;
      },
      installFunctions: async () => {
        if (!(await lacksFunctions(session, schema))) return;
        await requireNoDependents(transaction, resources);
        await installFunctions(transaction, schema);
      },
    });
  });

/** Returns the tables without partitions, of those that exist and can have them. */
async function unpartitioned(
  session: Session,
  resources: readonly StoredResource[],
): Promise<readonly TableSchema[]> {
  const tables: TableSchema[] = [];
  for (const table of resources.map(tableOf)) {
    if (table.shared || (await tablesWithRows(session, table.name)).length === 0) continue;
    if ((await readPartitioning(session, table.name)) === undefined) tables.push(table);
  }
  return tables;
}

/** Returns the partitioning of the tables that have partitions, for new tables. */
async function foundPartitioning(
  session: Session,
  resources: readonly StoredResource[],
): Promise<Partitioning | undefined> {
  for (const { name, shared } of resources.map(tableOf)) {
    const by = shared ? undefined : await readPartitioning(session, name);
    if (by === "hash") return { by };
    if (by === "list") return { by, datasets: await datasetsWithPartitions(session, name) };
  }
  return undefined;
}

/** Columns of a primary key take no nulls: adding the key sees to that. */
async function changePrimaryKey(knex: Knex, name: string, columns: readonly string[]): Promise<void> {
  const [table, key] = [identifier(name), identifier(`${name}_key`)];
  const list = join(columns.map(identifier), ", ");
  await knex.raw(
    statementText(
      sql`alter table ${table} drop constraint ${key}, add constraint ${key} primary key (${list})`,
    ),
  );
}

async function createPointIndex(
  knex: Knex,
  { name: table }: TableSchema,
  { name, column }: PointSchema,
): Promise<void> {
  const on = sql`${identifier(table)} using gist (${pointExpression(column)})`;
  await knex.raw(statementText(sql`create index ${identifier(name)} on ${on}`));
}

const installed = "cadastre_helpers";

/** Returns the statements that create the functions of a schema: those that compiled queries call, and that of statistics. */
const functionsOf = (schema: string): readonly string[] => [
  ...postgresHelpers(schema),
  createAnalyzeFunction(schema),
];

/** Returns a hash of the functions. */
const functionsVersion = (schema: string): string =>
  createHash("sha256").update(functionsOf(schema).join(";")).digest("hex");

/** True if the database has other functions than this version needs. */
async function lacksFunctions(session: Session, schema: string): Promise<boolean> {
  const [there] = await session.rows(sql`select to_regclass(${value("cadastre_note")})`);
  if (there?.[0] === null) return true;
  const [note] = await session.rows(
    sql`select "text" from "cadastre_note" where "key" = ${value(installed)}`,
  );
  return note?.[0] !== functionsVersion(schema);
}

async function installFunctions(transaction: Knex.Transaction, schema: string): Promise<void> {
  await dropFunctions(transaction);
  // One message for all statements, because there are dozens.
  await transaction.raw(functionsOf(schema).join(";").replaceAll("?", "\\?"));
  await writePostgresNote(transaction, installed, functionsVersion(schema));
}

const ownFunctions = `select oid from pg_proc
  where pronamespace = current_schema()::regnamespace and proname like 'cadastre\\_%'`;

/** Selects the objects of others that depend on the functions, and would be dropped with them. */
const selectDependents = `select distinct pg_describe_object(classid, objid, objsubid) as "dependent",
    coalesce((select "root".relname from pg_class as "root" where "root".oid = pg_partition_root(pg_class.oid)), relname) as "index"
  from pg_depend left join pg_class on classid = 'pg_class'::regclass and pg_class.oid = objid and relkind = 'i'
  where refclassid = 'pg_proc'::regclass and refobjid in (${ownFunctions})
    and not (classid = 'pg_proc'::regclass and objid in (${ownFunctions}))
  order by 1`;

type Dependent = { readonly dependent: string; readonly index: string | null };

/**
 * Checks that only indexes of this program depend on its functions: they are dropped with the functions and created again. Objects that
 * others created would be lost.
 *
 * @throws {StoreError} `schema_unsupported`
 */
async function requireNoDependents(
  transaction: Knex.Transaction,
  resources: readonly StoredResource[],
): Promise<void> {
  const recorded = (await transaction.schema.hasTable("cadastre_schema"))
    ? await transaction<{ name: string }>("cadastre_schema").pluck("name")
    : [];
  const wanted = resources.flatMap((resource) => schemaObjects(tableOf(resource), dialect));
  const own = new Set([...recorded, ...wanted.map(({ name }) => name)]);
  const { rows } = await transaction.raw<{ rows: readonly Dependent[] }>(selectDependents);
  const foreign = rows.find(({ index }) => index === null || !own.has(index));
  if (foreign !== undefined)
    throw new StoreError(
      "schema_unsupported",
      `${foreign.dependent} needs functions that are to be replaced: drop it, and make it again afterwards`,
    );
}

/** Drops the functions instead of replacing them, because `create or replace` cannot change their types. */
async function dropFunctions(transaction: Knex.Transaction): Promise<void> {
  const { rows } = await transaction.raw<{ rows: readonly { signature: string }[] }>(
    `select oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and proname like 'cadastre\\_%'`,
  );
  for (const { signature } of rows) await transaction.raw(`drop function if exists ${signature} cascade`);
}
