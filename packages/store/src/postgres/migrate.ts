import { createHash } from "node:crypto";
import { identifier, postgres, render, type StructuralProperty, sql } from "@cadastre/odata";
import { postgresHelpers } from "@cadastre/odata/postgres";
import type { Knex } from "knex";
import { columnValues } from "../read/columns.ts";
import type { Member } from "../record/members.ts";
import { createIndexes, type DeclaredTypes, type IndexForms, migrate } from "../schema/migrate.ts";
import { type TableSchema, tableOf } from "../schema/table.ts";
import type { StoredResource } from "../store.ts";
import { readNote, writeNote } from "./bookkeeping.ts";
import { formOf, placeOf, typeOf } from "./columns.ts";

const textOf = (fragment: ReturnType<typeof sql>): string => render(fragment, () => "?").text;

const types: DeclaredTypes = {
  // Sorted by code point, as everywhere.
  column: (property) =>
    formOf(property) === "text" && !property.collection ? `text collate "C"` : textOf(typeOf(property)),
  text: "json",
};

const indexForms: IndexForms = {
  dialect: postgres,
  sorted: ({ name, nullable }: StructuralProperty) =>
    nullable ? sql`${identifier(name)} nulls first` : identifier(name),
};

/** Bring the schema to its present state, see `migrate`, while no other process does so. */
export const migratePostgres = (
  knex: Knex,
  schema: string,
  resources: readonly StoredResource[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> =>
  knex.transaction(async (lock) => {
    await lock.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`cadastre ${schema}`]);
    if ((await knex("pg_catalog.pg_namespace").where({ nspname: schema })).length === 0)
      await knex.raw("create schema ??", [schema]);
    // Only what has died in the middle can hold the lock of the migrations now.
    await knex.migrate.forceFreeMigrationsLock({ tableName: "cadastre_migration" });
    const members = await migrate(knex, resources, types, (columns, record) =>
      columnValues(columns, (name) => record[name], formOf),
    );
    // A record of up to 8 kB stays in its row, as it is: to fetch and unpack it costs more than its room.
    const tables = resources.map(tableOf);
    for (const { name, closed } of tables)
      for (const table of [name, closed])
        await knex.raw("alter table ?? set (toast_tuple_target = 8160)", [table]);
    // Indexes call the helpers, and go with those that are replaced.
    await installHelpers(knex);
    for (const table of tables) {
      await createIndexes(knex, table, indexForms);
      await createPointIndexes(knex, table);
    }
    return members;
  });

async function createPointIndexes(knex: Knex, { name: table, points }: TableSchema): Promise<void> {
  for (const { name, column } of points) {
    const on = sql`${identifier(table)} using gist (${placeOf(column)})`;
    await knex.raw(textOf(sql`create index if not exists ${identifier(name)} on ${on}`));
  }
}

const installed = "cadastre_helpers";

/** The functions that compiled queries call, replaced when this package brings others. */
async function installHelpers(knex: Knex): Promise<void> {
  const helpers = postgresHelpers();
  const version = createHash("sha256").update(helpers.join(";")).digest("hex");
  if ((await readNote(knex, installed)) === version) return;
  await knex.transaction(async (transaction) => {
    await dropHelpers(transaction);
    for (const helper of helpers) await transaction.raw(helper.replaceAll("?", "\\?"));
    await writeNote(transaction, installed, version);
  });
}

/** Their types may have changed, and then they cannot be replaced. */
async function dropHelpers(transaction: Knex.Transaction): Promise<void> {
  const { rows } = await transaction.raw<{ rows: readonly { signature: string }[] }>(
    `select oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and proname like 'cadastre\\_%'`,
  );
  for (const { signature } of rows) await transaction.raw(`drop function if exists ${signature} cascade`);
}
