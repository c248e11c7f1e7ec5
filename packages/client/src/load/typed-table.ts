import type { ManifestDataset } from "@cadastre/manifest";
import type { Columns } from "../content/columns.ts";
import type { SchemaColumn } from "../content/schema.ts";
import { kindOfColumn, plainType, sqlTypeOf } from "./column-types.ts";
import { quoteIdentifier, quoteSqlText, type SqlSession, type Table } from "./session.ts";

type Described = {
  /** Columns that were found in the records; undefined for Parquet, which is not read for them. */
  readonly columns: Columns | undefined;
  readonly schema: readonly SchemaColumn[] | undefined;
  /** True if the load creates the table anew. */
  readonly isReplaced: boolean;
};

/**
 * Returns the table of a dataset. It has the columns and types of the schema document, unless there is none, or the table exists with other
 * types: one that an earlier release or the user has created. Such a table goes on with the kinds of values that are found in the records.
 */
export async function typedTable(
  session: Pick<SqlSession, "typesOf" | "sqlTypes">,
  { name, keyField }: Pick<ManifestDataset, "name" | "keyField">,
  { columns, schema, isReplaced }: Described,
): Promise<Table> {
  if (schema === undefined) return { name, keyField, columns: columns ?? new Map([[keyField, "text"]]) };
  const kinds = new Map(schema.map((column) => [column.name, kindOfColumn(column)]));
  const found: Table = { name, keyField, columns: columns ?? kinds, described: schema };
  const known = new Set(schema.map((column) => column.name));
  if ([...found.columns.keys()].some((column) => !known.has(column))) return found;
  const types = new Map(schema.map((column) => [column.name, sqlTypeOf(column, session.sqlTypes)]));
  const existing = isReplaced ? new Map<string, string>() : await session.typesOf(name);
  for (const [column, type] of types) {
    const present = existing.get(column);
    if (present !== undefined && !isSameType(present, type)) return found;
  }
  return { name, keyField, columns: kinds, schema, described: schema, types };
}

/** True if a catalog's type is the one of a statement. PostgreSQL's catalog leaves out the facets. */
function isSameType(present: string, wanted: string): boolean {
  const [a, b] = [plainType(present), plainType(wanted)];
  return a === b || a === b.replace(/\(.*\)$/, "");
}

/** Gives the columns of a new table their names in the Data Dictionary as comments. */
export async function comment(
  { run, names, hasComments }: Pick<SqlSession, "run" | "names" | "hasComments">,
  { name, schema = [] }: Table,
): Promise<void> {
  if (!hasComments) return;
  for (const { name: column, title } of schema)
    if (title !== null)
      await run(`comment on column ${names.of(name)}.${quoteIdentifier(column)} is ${quoteSqlText(title)}`);
}
