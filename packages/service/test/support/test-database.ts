import { randomUUID } from "node:crypto";
import { withPostgresLock } from "@cadastre/store/postgres";
import pg from "pg";

/** The server that the services of a test run use in place of SQLite. Undefined unless it was started with `DATABASE=postgres`. */
const server = process.env["TEST_POSTGRES"];

const urlOf = (database: string): string => (server ?? "").replace(/[^/]*$/, database);

/** The databases of data folders, by path. */
const databases = new Map<string, string>();

/**
 * Creates a database for the service of a data folder, as a copy of one that `prepare` has filled. Returns its URL; undefined if the
 * tests use SQLite.
 *
 * @param template name of the filled database, which is made if it does not exist
 * @param prepare fills the databases of a folder and a URL
 */
export async function createDatabase(
  path: string,
  template: string,
  prepare: (url: string) => Promise<void>,
): Promise<string | undefined> {
  if (server === undefined) return undefined;
  const name = `service_${randomUUID().replaceAll("-", "")}`;
  await withPostgresLock(server, template, async () => {
    const known = await query("select 1 from pg_database where datname = $1", [template]);
    if (known.length === 0) {
      const made = `${template}_${process.pid}`;
      await query(`create database ${made} template template0`);
      await prepare(urlOf(made));
      await query(`alter database ${made} rename to ${template}`);
    }
    await query(`create database ${name} template ${template} strategy file_copy`);
  });
  databases.set(path, urlOf(name));
  return urlOf(name);
}

async function query(text: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Adds the database of the data folder to the environment of a program. */
export function withDatabase(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const url = databases.get(environment["CADASTRE_DATA"] ?? "");
  return url === undefined ? environment : { ...environment, CADASTRE_DATABASE_URL: url };
}
