import { StoreError } from "@cadastre/store";
import { openPostgresStore, withPostgresLock } from "@cadastre/store/postgres";
import { openPostgresRegistry, openPostgresRegistryAudit } from "@cadastre/store/registry";
import { catalogVersion, storedResources } from "../catalog.ts";
import { DataError } from "./data-error.ts";
import type { PostgresAddress } from "./data-folder.ts";
import { type Databases, registryWait, requireSchema, type SchemaRemedies } from "./database-engine.ts";

const schemaRemedies: SchemaRemedies = {
  schema_newer:
    "was migrated by a later version: start that version, or restore the dump from before the upgrade",
  schema_absent:
    "lacks tables of the service: restore your last dump, or run `cadastre migrate` as the owner to create them",
  schema_older:
    "is of an earlier version: make a dump, and run `cadastre migrate` as the owner of its tables; a start migrates nothing",
  schema_unsupported: "cannot be migrated in place: go on with the version that wrote it",
};

/** Ends of messages about a database that cannot be used, by error code of PostgreSQL or of the connection. */
const remedies: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "cannot be reached: start the server, or correct CADASTRE_DATABASE_URL"],
  ["ENOTFOUND", "cannot be reached: correct the host in CADASTRE_DATABASE_URL"],
  ["ETIMEDOUT", "cannot be reached: open the way to the server, or correct CADASTRE_DATABASE_URL"],
  ["28P01", "refuses the password: correct CADASTRE_DATABASE_URL"],
  ["28000", "refuses the user: correct CADASTRE_DATABASE_URL, or `pg_hba.conf` of the server"],
  ["3D000", "does not exist: create it, or correct CADASTRE_DATABASE_URL"],
  [
    "42501",
    "does not give its user the rights: run `cadastre migrate` as the owner, and grant the user its role",
  ],
  ["25006", "is a standby, which takes no writes: CADASTRE_DATABASE_URL must name the primary"],
  ["53300", "has no free connection: raise `max_connections` of the server, or start fewer processes"],
  ["57P03", "is starting up: try again in a moment"],
]);

/** Codes of certificates that are not trusted. Source: OpenSSL, "x509_vfy". */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
const untrustedRemedy =
  "has a certificate that is not trusted: name its authority with `sslrootcert=<file>` in CADASTRE_DATABASE_URL";

/** Returns the databases in two schemas of a PostgreSQL database. */
export function postgresDatabases({ url, connections, statements }: PostgresAddress): Databases {
  const name = nameOf(url);
  const opening = <T>(open: () => Promise<T>): Promise<T> =>
    withRemedies(name, () => requireSchema(name, schemaRemedies, open));
  const openListings: Databases["openListings"] = (
    { threads, timeout, limits, migration },
    creates = false,
  ) =>
    openPostgresStore({
      connection: url,
      resources: storedResources,
      version: catalogVersion,
      migration: migration ?? "refuse",
      existing: !creates,
      timeout,
      limits,
      // A program that reads no pages for clients has no readers beside it.
      connections: threads === 0 ? 2 : connections,
      statements,
    });
  const openRegistry = (migration: Parameters<Databases["openRegistry"]>[0], existing: boolean) =>
    openPostgresRegistry({ connection: url, wait: registryWait, migration, existing });
  return {
    listingsName: name,
    registryName: name,
    hasListings: () => withRemedies(name, () => exists(openListings({ threads: 0 }))),
    hasRegistry: () => withRemedies(name, () => exists(openRegistry("refuse", true))),
    openListings: (options, creates) => opening(() => openListings(options, creates)),
    openRegistry: (migration) => opening(() => openRegistry(migration, false)),
    openRegistryAudit: () =>
      withRemedies(name, () => openPostgresRegistryAudit({ connection: url, wait: registryWait })),
  };
}

/**
 * Calls `work` while no other process does so under the same name.
 *
 * @throws {DataError} if the database cannot be used
 */
export const withDatabaseLock = <T>(url: string, name: string, work: () => Promise<T>): Promise<T> =>
  withRemedies(nameOf(url), () => withPostgresLock(url, name, work));

/** Returns the address of a database without its password and options. */
function nameOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** True if the database has the tables of what is opened, of whatever version. */
async function exists(opening: Promise<{ readonly close: () => Promise<void> }>): Promise<boolean> {
  try {
    await (await opening).close();
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "schema_absent") return false;
    if (error.code in schemaRemedies) return true;
    throw error;
  }
}

/** @throws {DataError} in place of an error that the operator can fix */
async function withRemedies<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = (error instanceof StoreError ? error.cause : error) as { readonly code?: unknown };
    const remedy =
      typeof code === "string"
        ? (remedies.get(code) ?? (untrusted.test(code) ? untrustedRemedy : undefined))
        : undefined;
    if (remedy === undefined) throw error;
    throw new DataError(`${name} ${remedy} (${String(code)})`, { cause: error });
  }
}
