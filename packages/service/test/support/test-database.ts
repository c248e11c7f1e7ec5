import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runPostgresProgram } from "@cadastre/odata/testing";
import { withPostgresLock } from "@cadastre/store/postgres";
import pg from "pg";
import { type DataFolder, dataFolderAt, openDataFolder } from "../../src/data/data-folder.ts";

/** The server that the services of a test run use in place of SQLite. Undefined unless it was started with `DATABASE=postgres`. */
const server = process.env["TEST_POSTGRES"];

const urlOf = (database: string): string => (server ?? "").replace(/[^/]*$/, database);

/**
 * True if the databases of the services are files. Tests about the files themselves run only then, and say so by their name:
 * `describe.runIf(onFiles)("a database file that was cut off", …)`.
 */
export const onFiles = server === undefined;

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

/** Creates an empty data folder, with an empty database of its own if the tests use PostgreSQL. */
export async function newDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), "cadastre-folder-"));
  return openDataFolder(path, addressOf(await createDatabase(path, "empty", async () => {})));
}

/** Copies a data folder and its databases, which may be in use, to `path`. */
export async function copyDataFolder(
  { path: from, postgres }: DataFolder,
  path: string,
): Promise<DataFolder> {
  await mkdir(path, { recursive: true });
  // In another process: when this one closes a database file, the locks that a service in it has on the file are released.
  await promisify(execFile)("cp", ["-R", `${from}/.`, path]);
  if (postgres === undefined) return dataFolderAt(path);
  const url = await createDatabase(path, "empty", async () => {});
  const dump = `${path}.dump`;
  runPostgresProgram("pg_dump", "-Fc", "-f", dump, postgres.url);
  runPostgresProgram("pg_restore", "-d", url ?? "", dump);
  await rm(dump);
  return dataFolderAt(path, addressOf(url));
}

const addressOf = (url: string | undefined) => (url === undefined ? undefined : { url });

/** Lets the PostgreSQL database of a folder take connections, or ends them all and takes none. */
export async function setReachable({ postgres }: DataFolder, reachable: boolean): Promise<void> {
  const name = new URL(postgres?.url ?? "").pathname.slice(1);
  await query(`alter database ${name} with allow_connections ${reachable}`);
  if (!reachable)
    await query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
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
