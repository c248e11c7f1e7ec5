import { createHash } from "node:crypto";
import { identifier, postgres, type SqlFragment, sql } from "@cadastre/odata";
import { postgresHelpers } from "@cadastre/odata/postgres";
import { render, value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type { SchemaOptions } from "../database/schema-options.ts";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import type { CatalogQueries } from "../migration/found.ts";
import {
  type MigratedSchema,
  migrateListings,
  type SchemaTarget,
  type SchemaTransaction,
} from "../migration/migrate.ts";
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
  typeOf,
} from "./layout/columns.ts";

const textOf = (fragment: SqlFragment): string => render(fragment, () => "?").text;

const dialect: SchemaDialect = {
  dialect: postgres,
  formOf: columnEncoding,
  // Text is sorted by code point, as everywhere in the store.
  declaredType: (property) =>
    columnEncoding(property) === "text" && !property.collection
      ? `text collate "C"`
      : textOf(typeOf(property)),
  recordType: "json",
  sorted: ({ name, nullable }) => (nullable ? sql`${identifier(name)} nulls first` : identifier(name)),
  datasetId: postgresDatasetId,
  sha256: postgresSha256,
  pointsVersion: "gist 1",
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
  options: SchemaOptions,
): Promise<MigratedSchema> {
  if ((await knex("pg_catalog.pg_namespace").where({ nspname: schema })).length === 0) {
    if (options.existing === true) throw new StoreError("schema_absent", schema);
    await inTransaction(knex, schema, [], ({ knex }) => knex.raw("create schema if not exists ??", [schema]));
  }
  const target: SchemaTarget = {
    resources,
    dialect,
    catalog,
    options,
    lacksFunctions: (session) => lacksFunctions(session, schema),
    read: (work) => onConnection(knex, work),
    transaction: (work) =>
      inTransaction(knex, schema, resources, async (transaction) => {
        const migrated = await work(transaction);
        await setStorage(transaction.knex, resources.map(tableOf));
        return migrated;
      }),
  };
  return migrateListings(target);
}

const inTransaction = <T>(
  knex: Knex,
  schema: string,
  resources: readonly StoredResource[],
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
      dropPoints: async (name) => transaction.raw("drop index if exists ??", [name]),
      installFunctions: async () => {
        if (!(await lacksFunctions(session, schema))) return;
        await requireNoDependents(transaction, resources);
        await installHelpers(transaction, schema);
      },
    });
  });

/**
 * Storage parameters of the tables. Vacuum comes after a fiftieth of a large table has changed, not a fifth, so that counts can keep to
 * the indexes. An update of a record always changes an indexed column, its beginning, so free space in the pages of records would not
 * spare index entries (HOT); that of counters and cursors does.
 */
const storage = {
  // Records of up to 8 kB are stored in the row, uncompressed: reading them from TOAST costs more than the space.
  records:
    "toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02",
  counters: "fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200",
} as const;

/** Bookkeeping tables whose rows are updated in columns without an index. */
const counters = [
  "cadastre_coverage",
  "cadastre_coverage_atom",
  "cadastre_digest",
  "cadastre_note",
  "cadastre_source",
];

async function setStorage(knex: Knex, tables: readonly TableSchema[]): Promise<void> {
  const records = tables.flatMap(({ name, closed }) => [name, closed]);
  for (const table of records) await knex.raw(`alter table ?? set (${storage.records})`, [table]);
  for (const table of counters) await knex.raw(`alter table ?? set (${storage.counters})`, [table]);
}

async function createPointIndex(
  knex: Knex,
  { name: table }: TableSchema,
  { name, column }: PointSchema,
): Promise<void> {
  const on = sql`${identifier(table)} using gist (${pointExpression(column)})`;
  await knex.raw(textOf(sql`create index ${identifier(name)} on ${on}`));
}

const installed = "cadastre_helpers";

/** Returns a hash of the functions that compiled queries call. */
const helpersVersion = (schema: string): string =>
  createHash("sha256").update(postgresHelpers(schema).join(";")).digest("hex");

/** True if the database has other functions than this version needs. */
async function lacksFunctions(session: Session, schema: string): Promise<boolean> {
  const [there] = await session.rows(sql`select to_regclass(${value("cadastre_note")})`);
  if (there?.[0] === null) return true;
  const [note] = await session.rows(
    sql`select "text" from "cadastre_note" where "key" = ${value(installed)}`,
  );
  return note?.[0] !== helpersVersion(schema);
}

async function installHelpers(transaction: Knex.Transaction, schema: string): Promise<void> {
  await dropHelpers(transaction);
  // One message for all statements, because there are dozens.
  await transaction.raw(postgresHelpers(schema).join(";").replaceAll("?", "\\?"));
  await writePostgresNote(transaction, installed, helpersVersion(schema));
}

const ownFunctions = `select oid from pg_proc
  where pronamespace = current_schema()::regnamespace and proname like 'cadastre\\_%'`;

/** Selects the objects of others that depend on the functions, and would be dropped with them. */
const selectDependents = `select distinct pg_describe_object(classid, objid, objsubid) as "dependent", relname as "index"
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
async function dropHelpers(transaction: Knex.Transaction): Promise<void> {
  const { rows } = await transaction.raw<{ rows: readonly { signature: string }[] }>(
    `select oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and proname like 'cadastre\\_%'`,
  );
  for (const { signature } of rows) await transaction.raw(`drop function if exists ${signature} cascade`);
}
