import { readFile, rm } from "node:fs/promises";
import { registerFunctions } from "@cadastre/odata/sqlite";
import { registerChecksum } from "@cadastre/store/testing";
import SqliteDatabase from "better-sqlite3";
import pg from "pg";
import type { DataFolder } from "../../src/data/data-folder.ts";

/** Name of a database of a data folder. */
type Database = "listings" | "registry";

/** Schemas of the databases in PostgreSQL. */
const schemas: Readonly<Record<Database, string>> = { listings: "cadastre", registry: "cadastre_registry" };

const fileOf = (folder: DataFolder, database: Database): string =>
  database === "listings" ? folder.database : folder.registry;

type Row = Readonly<Record<string, unknown>>;

/**
 * Runs a statement in a database of a data folder, past the service: to cause a fault, or to read what is stored. Values are written `?`.
 * Returns the rows, if it is a query.
 */
export async function runSql(
  folder: DataFolder,
  database: Database,
  statement: string,
  ...values: readonly unknown[]
): Promise<readonly Row[]> {
  if (folder.postgres !== undefined) return inPostgres(folder.postgres.url, database, statement, values);
  const opened = new SqliteDatabase(fileOf(folder, database), { timeout: 5000 });
  try {
    registerFunctions(opened);
    registerChecksum(opened);
    const prepared = opened.prepare<unknown[], Row>(statement);
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  } finally {
    opened.close();
  }
}

async function inPostgres(
  url: string,
  database: Database,
  statement: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schemas[database]}` });
  await client.connect();
  try {
    let number = 0;
    const numbered = values.length === 0 ? statement : statement.replaceAll("?", () => `$${++number}`);
    return (await client.query<Row>(numbered, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Returns everything that a database of a folder stores, as one text. */
export async function storedText(folder: DataFolder, database: Database): Promise<string> {
  if (folder.postgres === undefined) {
    const file = fileOf(folder, database);
    const bytes = [file, `${file}-wal`].map((one) => readFile(one, "latin1").catch(() => ""));
    return (await Promise.all(bytes)).join("");
  }
  const tables = await runSql(
    folder,
    database,
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = ?::regnamespace",
    schemas[database],
  );
  const texts = tables.map(({ name }) =>
    runSql(folder, database, `select cast(t as text) as row from "${String(name)}" t`),
  );
  return (await Promise.all(texts))
    .flat()
    .map(({ row }) => String(row))
    .join("\n");
}

/** Returns the quoted names of the columns of a table of the listings. */
export async function columnNames(folder: DataFolder, table: string): Promise<readonly string[]> {
  const query =
    folder.postgres === undefined
      ? "select name from pragma_table_info(?)"
      : "select attname as name from pg_attribute where attrelid = quote_ident(?)::regclass and attnum > 0 and not attisdropped";
  return (await runSql(folder, "listings", query, table)).map(({ name }) => `"${String(name)}"`);
}

/** Deletes a database of a data folder that no program uses. */
export async function dropDatabase(folder: DataFolder, database: Database): Promise<void> {
  if (folder.postgres === undefined)
    for (const suffix of ["", "-wal", "-shm"]) await rm(fileOf(folder, database) + suffix, { force: true });
  else await runSql(folder, database, `drop schema ${schemas[database]} cascade`);
}

type Trigger = {
  readonly table: string;
  readonly event: "insert" | "delete";
  /** Condition on `new` or `old`. */
  readonly when?: string;
  /** Statement that runs after each row. */
  readonly body: string;
};

/** Creates a trigger on a table of the listings, and returns the function that drops it. */
export async function createTrigger(
  folder: DataFolder,
  { table, event, when = "true", body }: Trigger,
): Promise<() => Promise<void>> {
  const run = (statement: string) => runSql(folder, "listings", statement);
  const head = `create trigger "fault" after ${event} on "${table}" for each row when (${when})`;
  if (folder.postgres === undefined) await run(`${head} begin ${body}; end`);
  else {
    await run(
      `create function fault() returns trigger language plpgsql as $$ begin ${body}; return null; end $$`,
    );
    await run(`${head} execute function fault()`);
  }
  return async () => {
    if (folder.postgres === undefined) await run(`drop trigger "fault"`);
    else await run("drop function fault() cascade");
  };
}
