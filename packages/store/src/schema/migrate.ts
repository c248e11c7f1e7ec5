import {
  type Dialect,
  type EntityType,
  identifier,
  join,
  render,
  type SqlFragment,
  type StructuralProperty,
  sql,
} from "@cadastre/odata";
import type { Knex } from "knex";
import type { Member } from "../record/members.ts";
import { numberMembers } from "../record/members.ts";
import type { StoredResource } from "../store.ts";
import { migrationSource } from "./migrations.ts";
import {
  beginning,
  recordColumns,
  sourceProperty,
  stagedColumns,
  type TableSchema,
  tableOf,
  validity,
} from "./table.ts";

/** What the databases declare differently. */
export type DeclaredTypes = {
  readonly column: (property: StructuralProperty) => string;
  readonly text: string;
};

/** Columns as indexes hold them. */
export type IndexForms = {
  readonly dialect: Dialect;
  /** A column in the order that pages of it have. */
  readonly sorted: (property: StructuralProperty) => SqlFragment;
};

/** Values of typed columns of a record in JSON form, in database form. */
export type ColumnValues = (
  columns: readonly StructuralProperty[],
  record: Readonly<Record<string, unknown>>,
) => readonly unknown[];

/**
 * Bring a database to the present schema, but for indexes: bookkeeping, tables of current and of closed versions
 * and of staged changes for each resource, and columns that are new. Gives the numbers of the members of each resource.
 */
export async function migrate(
  knex: Knex,
  resources: readonly StoredResource[],
  types: DeclaredTypes,
  columnValues: ColumnValues,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> {
  await knex.migrate.latest({
    migrationSource,
    tableName: "cadastre_migration",
  });
  const members = new Map<string, ReadonlyMap<string, Member>>();
  for (const resource of resources) {
    const table = tableOf(resource);
    await createTables(knex, table, types);
    await addColumns(knex, table, types, columnValues);
    members.set(table.name, await readMembers(knex, table.name, resource.entitySet.type));
  }
  return members;
}

async function createTables(knex: Knex, schema: TableSchema, types: DeclaredTypes): Promise<void> {
  const declare = (table: Knex.CreateTableBuilder) => {
    for (const property of schema.columns) declareColumn(table, property, types, schema);
    table.specificType(validity.from.name, types.column(validity.from)).notNullable();
    table.specificType(recordColumns.text, types.text).notNullable();
    table.specificType(recordColumns.members, "text").notNullable();
  };
  const key = schema.key.map(({ name }) => name);
  if (!(await knex.schema.hasTable(schema.name))) {
    await knex.schema.createTable(schema.name, (table) => {
      declare(table);
      table.primary(key, `${schema.name}_key`);
    });
  }
  if (!(await knex.schema.hasTable(schema.closed))) {
    await knex.schema.createTable(schema.closed, (table) => {
      declare(table);
      table.specificType(validity.to.name, types.column(validity.to)).notNullable();
      table.primary([...key, validity.to.name], `${schema.closed}_key`);
      table.index([validity.to.name], schema.endings);
    });
  }
  if (!(await knex.schema.hasTable(schema.staged))) {
    await knex.schema.createTable(schema.staged, (table) => {
      for (const property of schema.key) declareColumn(table, property, types, schema);
      table.text(sourceProperty.name).notNullable();
      table.bigInteger(stagedColumns.batch).notNullable();
      for (const name of [stagedColumns.dataset, stagedColumns.record, stagedColumns.hidden])
        table.text(name);
      table.primary([...key, sourceProperty.name], `${schema.staged}_key`);
    });
  }
}

function declareColumn(
  table: Knex.TableBuilder,
  property: StructuralProperty,
  types: DeclaredTypes,
  { key }: TableSchema,
): void {
  const column = table.specificType(property.name, types.column(property));
  if (key.includes(property)) column.notNullable();
}

/** A column that is new is filled from the records. */
async function addColumns(
  knex: Knex,
  schema: TableSchema,
  types: DeclaredTypes,
  columnValues: ColumnValues,
): Promise<void> {
  for (const name of [schema.name, schema.closed]) {
    const present = new Set(Object.keys(await knex(name).columnInfo()));
    const added = schema.columns.filter((property) => !present.has(property.name));
    if (added.length === 0) continue;
    await knex.transaction(async (transaction) => {
      await transaction.schema.alterTable(name, (table) => {
        for (const property of added) declareColumn(table, property, types, schema);
      });
      const key = schema.key.map((property) => property.name);
      const identity = name === schema.name ? key : [...key, validity.to.name];
      await fillColumns(transaction, name, added, identity, columnValues);
    });
  }
}

async function fillColumns(
  transaction: Knex.Transaction,
  table: string,
  added: readonly StructuralProperty[],
  identity: readonly string[],
  columnValues: ColumnValues,
): Promise<void> {
  const places = identity.map(() => "?").join(", ");
  let last: readonly Knex.Value[] | undefined;
  for (;;) {
    const batch = transaction(table)
      // As text: a driver may read JSON into an object.
      .select([
        ...identity,
        transaction.raw("cast(?? as text) as ??", [recordColumns.text, recordColumns.text]),
      ])
      .orderBy([...identity])
      .limit(1000);
    if (last !== undefined)
      batch.whereRaw(`(??) > (${places})`, [[...identity], ...last] as Knex.RawBinding[]);
    const rows: readonly Record<string, Knex.Value>[] = await batch;
    for (const row of rows) {
      const values = columnValues(added, JSON.parse(row[recordColumns.text] as string));
      const one = Object.fromEntries(identity.map((name) => [name, row[name]]));
      await transaction(table)
        .where(one)
        .update(Object.fromEntries(added.map(({ name }, i) => [name, values[i]])));
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    last = identity.map((name) => end[name] ?? null);
  }
}

/** Make the indexes of a table that are new, but for those of points. */
export async function createIndexes(
  knex: Knex,
  { name: table, indexes, folded, beginnings }: TableSchema,
  { dialect, sorted }: IndexForms,
): Promise<void> {
  const foldedText = ({ name }: StructuralProperty) =>
    dialect.call("foldcase", ["Edm.String"], [identifier(name)]);
  const all = [
    ...indexes.map(({ name, columns }) => ({ name, held: columns.map(sorted) })),
    ...folded.map(({ name, columns: [text, ...others] }) => ({
      name,
      held: [...(text === undefined ? [] : [foldedText(text)]), ...others.map(sorted)],
    })),
    { name: beginnings, held: [beginning] },
  ];
  for (const { name, held } of all) {
    const create = sql`create index if not exists ${identifier(name)} on ${identifier(table)} (${join(held, ", ")})`;
    await knex.raw(render(create, () => "?").text);
  }
}

async function readMembers(
  knex: Knex,
  resource: string,
  type: EntityType,
): Promise<ReadonlyMap<string, Member>> {
  const rows: readonly { readonly name: string }[] = await knex("cadastre_member")
    .select("name")
    .where({ resource })
    .orderBy("ordinal");
  const known = rows.map(({ name }) => name);
  const { members, added } = numberMembers(type, known);
  const numbered = added.map((name, i) => ({ resource, ordinal: known.length + i, name }));
  await knex.batchInsert("cadastre_member", numbered, 200);
  return members;
}
