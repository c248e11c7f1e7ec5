import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import { quoted } from "./quoted.ts";

/**
 * Table of the checksums: for each table, the sum of the CRC-32 of its rows. Triggers update the sums with each statement, so after a
 * bit has changed on the disk the sum does not match. SQLite's integrity check does not find a changed bit in a value without an index.
 */
const checksumTable = "cadastre_checksum";

/** Name of the checksum of the schema, which cannot have triggers: each object in it has a checksum of its own. */
const schemaName = "sqlite_schema";

/** Name of the checksum of an object of the schema: no table is named so. */
const objectName = (name: string): string => `${schemaName}/${name}`;

/** True if the table or index of this name belongs to this program. Tables and indexes of others have no checksum. */
export type OwnNames = (name: string) => boolean;

/** True for the store's own tables beside those of the resources, such as `cadastre_build`. */
export const isBookkeeping: OwnNames = (name) => name.startsWith("cadastre_");

const rowChecksum = "cadastre_crc32";

type Value = string | number | bigint | Uint8Array | null;

/** Includes the type: a single bit distinguishes a text from a blob, and an integer from a double. */
function textOf(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `blob ${Buffer.from(value).toString("hex")}`;
  return `${typeof value} ${value}`;
}

/** Registers the function that the triggers call: a connection without it cannot write to tables with checksums. */
export const registerChecksum = (database: Database): void =>
  void database.function(
    rowChecksum,
    { deterministic: true, varargs: true, safeIntegers: true },
    (...values) => {
      let text = "";
      for (const value of values as Value[]) text += `${textOf(value)}\0`;
      return BigInt(crc32(text));
    },
  );

/** Selects the tables that have checksums: not those of R*Trees and SQLite's statistics, which can be computed from the others. */
const selectTables = `select "name" from pragma_table_list
  where "schema" = 'main' and "type" = 'table' and "name" not like 'sqlite\\_%' escape '\\' and "name" <> '${checksumTable}'
  order by "name"`;
const selectColumns = `select "name" from pragma_table_info(?) order by "cid"`;
const selectObjects = `select "name", "tbl_name", ${rowChecksum}("type", "name", "tbl_name", "sql")
  from "sqlite_schema" where "name" not like 'sqlite\\_stat%' escape '\\'`;
const selectTriggers = `select "name", "sql" from "sqlite_schema" where "type" = 'trigger'`;
const put = `insert into "${checksumTable}" ("name", "sum", "version") values (?, ?, ?)
  on conflict ("name") do update set "sum" = excluded."sum", "version" = excluded."version"`;
const add = `update "${checksumTable}" set "sum" = "sum" + ? where "name" = ?`;
const forget = `delete from "${checksumTable}" where "name" = ?`;
const selectKept = `select "name", "sum" from "${checksumTable}"`;
const create = `create table "${checksumTable}" ("name" text primary key, "sum" integer not null, "version" integer)`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

type Summed = { readonly name: string; readonly columns: readonly string[] };

/** Returns the SQL of a row's checksum. @param row prefix of the column names, such as `new.` */
const checksumOf = ({ columns }: Summed, row: string): string =>
  `${rowChecksum}(${columns.map((column) => `${row}${quoted(column)}`).join(", ")})`;

/** Returns the names of a table's columns, in their order. */
export const columnsOf = (database: Database, name: string): readonly string[] =>
  database.prepare(selectColumns).pluck().all(name) as string[];

function tablesOf(database: Database): readonly Summed[] {
  const names = database.prepare(selectTables).pluck().all() as string[];
  return names.map((name) => ({ name, columns: columnsOf(database, name) }));
}

/** Change of the sum by each kind of statement, as SQL. */
const changes = {
  insert: (table: Summed) => `+ ${checksumOf(table, "new.")}`,
  update: (table: Summed) => `- ${checksumOf(table, "old.")} + ${checksumOf(table, "new.")}`,
  delete: (table: Summed) => `- ${checksumOf(table, "old.")}`,
} as const;

/** Returns the triggers that keep the sum of a table. */
export const triggersOf = (table: Summed): readonly (readonly [name: string, sql: string])[] =>
  Object.entries(changes).map(([kind, change]) => {
    const name = `${table.name}_checksum_${kind}`;
    const set = `update "${checksumTable}" set "sum" = "sum" ${change(table)} where "name" = ${literal(table.name)}`;
    return [name, `CREATE TRIGGER ${quoted(name)} after ${kind} on ${quoted(table.name)} begin ${set}; end`];
  });

/**
 * Returns the sum of the checksums of a table's rows.
 *
 * @param condition SQL condition on the rows, with the values of its parameters
 */
export const sumOfRows = (
  database: Database,
  table: Summed,
  condition = "true",
  ...values: readonly bigint[]
): bigint =>
  database
    .prepare(
      `select coalesce(sum(${checksumOf(table, "")}), 0) from ${quoted(table.name)} where ${condition}`,
    )
    .pluck()
    .safeIntegers()
    .get(...values) as bigint;

/** Adds to the sum of a table what its triggers have not. */
export const addToSum = (database: Database, name: string, sum: bigint): void =>
  void database.prepare(add).run(sum, name);

type ObjectRow = readonly [name: string, table: string, sum: bigint];

const objectsOf = (database: Database): readonly ObjectRow[] =>
  database.prepare(selectObjects).raw().safeIntegers().all() as ObjectRow[];

/** True for the index that SQLite makes for a key. */
const isAutomatic: OwnNames = (name) => name.startsWith("sqlite_autoindex_");

const hasChecksums = (database: Database): boolean =>
  database.prepare(`select 1 from "sqlite_schema" where "name" = '${checksumTable}'`).get() !== undefined;

/**
 * Creates checksums and triggers for the tables of this program that do not have them, or have other columns than before. Only these
 * tables are read. Call it after every change of the schema, on a connection with {@link registerChecksum}.
 */
export function keepChecksums(database: Database, isOwn: OwnNames): void {
  if (hasCurrentVersion(database)) return;
  const keep = database.transaction(() => {
    if (!hasChecksums(database)) database.exec(create);
    const tables = tablesOf(database).filter(({ name }) => isOwn(name));
    const present = triggersIn(database);
    for (const table of tables) {
      const triggers = triggersOf(table);
      if (triggers.every(([name, sql]) => present.get(name) === sql)) continue;
      for (const [name, sql] of triggers) database.exec(`drop trigger if exists ${quoted(name)}; ${sql}`);
      database.prepare(put).run(table.name, sumOfRows(database, table), null);
    }
    const triggers = new Set(tables.flatMap((table) => triggersOf(table).map(([name]) => name)));
    const objects = objectsOf(database).filter(
      ([name, table]) => isOwn(name) || triggers.has(name) || (isAutomatic(name) && isOwn(table)),
    );
    const names = new Set([...tables.map(({ name }) => name), ...objects.map(([name]) => objectName(name))]);
    for (const name of keptSums(database).keys()) if (!names.has(name)) database.prepare(forget).run(name);
    for (const [name, , sum] of objects) database.prepare(put).run(objectName(name), sum, null);
    updateVersion(database);
  });
  keep.immediate();
}

/** Removes a table's checksum and triggers, until {@link keepChecksums} creates them again. Needed before a column is dropped. */
export function forgetChecksum(database: Database, name: string): void {
  for (const [trigger] of triggersOf({ name, columns: [] }))
    database.exec(`drop trigger if exists ${quoted(trigger)}`);
}

const versionOf = (database: Database): number =>
  database.pragma("schema_version", { simple: true }) as number;

/** True if no statement has changed the schema since the checksums were made. */
export function hasCurrentVersion(database: Database): boolean {
  if (!hasChecksums(database)) return false;
  const select = `select "version" from "${checksumTable}" where "name" = '${schemaName}'`;
  return database.prepare(select).pluck().get() === versionOf(database);
}

/** Records that the checksums are those of the current schema. */
export const updateVersion = (database: Database): void =>
  void database.prepare(put).run(schemaName, 0, versionOf(database));

/** Returns the statements that created the triggers of a database, by name. */
export const triggersIn = (database: Database): ReadonlyMap<string, string> =>
  new Map(database.prepare(selectTriggers).raw().all() as [string, string][]);

const keptSums = (database: Database): ReadonlyMap<string, bigint> =>
  new Map(database.prepare(selectKept).raw().safeIntegers().all() as [string, bigint][]);

/**
 * Returns the names of tables whose rows do not match their checksum. Returns none for a database without checksums. Tables of another
 * program have no checksum.
 */
export function alteredTables(database: Database): readonly string[] {
  if (!hasChecksums(database)) return [];
  const sums = new Map<string, bigint>([[schemaName, 0n]]);
  for (const [name, , sum] of objectsOf(database)) sums.set(objectName(name), sum);
  const kept = keptSums(database);
  for (const table of tablesOf(database))
    if (kept.has(table.name)) sums.set(table.name, sumOfRows(database, table));
  const altered = [...kept].filter(([name, sum]) => sums.get(name) !== sum).map(([name]) => name);
  return [...new Set(altered.map((name) => (name.startsWith(objectName("")) ? schemaName : name)))];
}
