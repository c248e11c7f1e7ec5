import { createHash } from "node:crypto";
import { type ResourceRules, resourceRules } from "@cadastre/entitlement";
import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join } from "@cadastre/odata/run";
import type { Knex } from "knex";
import { createSchemaIfAbsent } from "../../database/create-schema.ts";
import type { Settings } from "../../database/postgres-transactions.ts";
import { statementText } from "../../database/statement-text.ts";
import { StoreError } from "../../errors.ts";
import { isPrunedNote, recordColumns, tableOf, validity } from "../../schema/table.ts";
import type { StoredResource } from "../../stored-resource.ts";
import { readPostgresNote, writePostgresNote } from "../layout/bookkeeping.ts";
import { grantedRows } from "./rows.ts";

/**
 * A second check of the scope, by the database itself: readers take a role that may read only views. The views show the rows that
 * the scope of the current query grants, and none if no scope is set.
 */
export type Wall = {
  /**
   * Name of the role. It must exist, must not have the right to read tables, and the store's own user must be a member of it.
   */
  readonly role: string;
  /**
   * True to guarantee that no condition of a query is evaluated for a hidden row (`security_barrier`). PostgreSQL then does not
   * push orders and limits down into the views, so a page reads all rows of the scope. Compiled conditions cannot fail for any
   * row, so a wall without it is safe too. By default false.
   */
  readonly barrier?: boolean | undefined;
  /** Rules that decide which rows a scope grants, as for `compileScope`. */
  readonly rules?: ResourceRules | undefined;
};

/** Returns the schema of the views. They have the same names as the tables, and the schema comes first in the search path. */
export const wallSchema = (schema: string): string => `${schema}_wall`;

/** Returns the settings of each transaction that reads. */
export const wallSettings = ({ role }: Wall): Settings => ({ role });

type View = { readonly name: string; readonly columns: SqlFragment; readonly rows: SqlFragment };

function viewsOf(resource: StoredResource, rules: ResourceRules): readonly View[] {
  const table = tableOf(resource);
  const { name } = table;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  const rows = grantedRows(table, resource.entitySet, rule);
  const held = [
    ...table.columns.map((column) => column.name),
    ...Object.values(recordColumns),
    validity.from.name,
  ];
  const list = (names: readonly string[]) => join(names.map(identifier), ", ");
  return [
    { name, columns: list(held), rows },
    { name: table.closed, columns: list([...held, validity.to.name]), rows },
  ];
}

/** Notes are hidden from readers, except the one that tells if a bookmark has expired. */
const notes: View = {
  name: "cadastre_note",
  columns: sql`"key", "text"`,
  rows: isPrunedNote,
};

/** Creates the views that are missing or outdated, and grants the role access to them. */
export const buildWall = (
  knex: Knex,
  schema: string,
  resources: readonly StoredResource[],
  wall: Wall,
): Promise<void> =>
  knex.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`cadastre ${schema}`]);
    const [tables, views, role] = [schema, wallSchema(schema), wall.role].map(identifier) as [
      SqlFragment,
      SqlFragment,
      SqlFragment,
    ];
    const run = (statement: SqlFragment) => transaction.raw(statementText(statement));
    await createSchemaIfAbsent(transaction, wallSchema(schema));
    const all = [notes, ...resources.flatMap((resource) => viewsOf(resource, wall.rules ?? resourceRules))];
    const barrier = wall.barrier === true ? sql`true` : sql`false`;
    for (const { name, columns, rows } of all) {
      const view = sql`${views}.${identifier(name)}`;
      const create = sql`create view ${view} with (security_barrier = ${barrier}) as
  select ${columns} from ${tables}.${identifier(name)} where ${rows}`;
      await keep(transaction, name, create, sql`drop view if exists ${view}`);
      await run(sql`grant select on ${view} to ${role}`);
    }
    await run(sql`grant usage on schema ${tables}, ${views} to ${role}`);
    await run(sql`grant select on ${tables}."cadastre_commit" to ${role}`);
    await refusePassage(transaction, schema, all, wall.role);
  });

/** Creates a view again if the statement that created it was a different one. */
async function keep(
  transaction: Knex.Transaction,
  name: string,
  create: SqlFragment,
  drop: SqlFragment,
): Promise<void> {
  const note = `cadastre_wall_${name}`;
  const version = createHash("sha256").update(statementText(create)).digest("hex");
  if ((await readPostgresNote(transaction, note)) === version) return;
  await transaction.raw(statementText(drop));
  await transaction.raw(statementText(create));
  await writePostgresNote(transaction, note, version);
}

/**
 * Checks that the role cannot read any of the tables directly.
 *
 * @throws {StoreError} `wall_passable`
 */
async function refusePassage(
  transaction: Knex.Transaction,
  schema: string,
  views: readonly View[],
  role: string,
): Promise<void> {
  const names = views.map(({ name }) => name);
  const { rows } = await transaction.raw<{ rows: readonly { name: string }[] }>(
    `select relname as name from pg_class
    where relnamespace = to_regnamespace(quote_ident(?)) and relname = any (?)
      and has_any_column_privilege(?, oid, 'select')`,
    [schema, names, role],
  );
  const [open] = rows;
  if (open !== undefined) throw new StoreError("wall_passable", open.name);
}
