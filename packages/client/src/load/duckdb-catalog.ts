import type { Relation } from "./relation.ts";
import { markPrefix, type SqlSession } from "./session.ts";

const kinds: Readonly<Record<string, string>> = { "BASE TABLE": "table", VIEW: "view" };

/** Looks up a table or view by name, ignoring letter case as DuckDB does. */
export async function duckdbRelation(
  run: SqlSession["run"],
  schema: string,
  name: string,
): Promise<Relation | undefined> {
  const [found] = await run(
    `select table_type as kind from information_schema.tables
     where table_catalog = current_database() and table_schema = ? and lower(table_name) = lower(?)`,
    [schema, name],
  );
  if (found === undefined) return undefined;
  const [columns, primaryKey] = [await duckdbColumns(run, schema, name), await keyOf(run, schema, name)];
  const kind = String(found["kind"]);
  return {
    kind: kinds[kind] ?? kind.toLowerCase(),
    columns: [...columns.keys()],
    primaryKey,
    marks: await marksOf(run, schema, name, primaryKey),
    dependents: await dependentsOf(run, schema, name),
  };
}

/**
 * Returns a table's comment, if it is a mark, and a hash of its keys. `export database` drops comments: the keys identify a table that was
 * exported and imported.
 */
async function marksOf(
  run: SqlSession["run"],
  schema: string,
  name: string,
  primaryKey: readonly string[],
): Promise<readonly string[]> {
  const [found] = await run(
    `select comment, format('"{}"."{}"."{}"', replace(database_name, '"', '""'), schema_name, table_name) as place
     from duckdb_tables()
     where database_name = current_database() and schema_name = ? and lower(table_name) = lower(?)`,
    [schema, name],
  );
  if (found === undefined) return [];
  const comment = typeof found["comment"] === "string" ? found["comment"] : "";
  const marks = comment.startsWith(markPrefix) ? [comment] : [];
  const [key] = primaryKey;
  if (primaryKey.length !== 1 || key === undefined) return marks;
  const [keys] = await run(
    `select count(*) || '-' || coalesce(bit_xor(hash("${key.replaceAll('"', '""')}")), 0) as hash from ${String(found["place"])}`,
  );
  return [...marks, `keys-${String(keys?.["hash"])}`];
}

/** Returns the types of a table's columns in lower case, by name. Empty if there is no such table. */
export async function duckdbColumns(
  run: SqlSession["run"],
  schema: string,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await run(
    `select column_name as name, lower(data_type) as type from duckdb_columns()
     where database_name = current_database() and schema_name = ? and lower(table_name) = lower(?)
     order by column_index`,
    [schema, name],
  );
  return new Map(found.map((column) => [String(column["name"]), String(column["type"])]));
}

/** Returns the tables with a foreign key to a table: DuckDB replaces no table that has one. */
async function dependentsOf(
  run: SqlSession["run"],
  schema: string,
  name: string,
): Promise<readonly string[]> {
  const found = await run(
    `select distinct table_name as name from duckdb_constraints()
     where database_name = current_database() and schema_name = ? and constraint_type = 'FOREIGN KEY'
       and lower(referenced_table) = lower(?) and lower(table_name) <> lower(?)`,
    [schema, name, name],
  );
  return found.map((other) => String(other["name"]));
}

async function keyOf(run: SqlSession["run"], schema: string, name: string): Promise<readonly string[]> {
  const found = await run(
    `select unnest(constraint_column_names) as name from duckdb_constraints()
     where database_name = current_database() and schema_name = ? and lower(table_name) = lower(?)
       and constraint_type = 'PRIMARY KEY'`,
    [schema, name],
  );
  return found.map((column) => String(column["name"]));
}
