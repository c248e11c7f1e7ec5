import { type Catalog, dictionaryCatalog } from "@cadastre/reso";
import { type Migration, StoreError } from "@cadastre/store";
import {
  addPartitions,
  detachPartitions,
  dropPartitions,
  openPostgresStore,
  type Partitioning,
  partitionState,
  withPostgresLock,
} from "@cadastre/store/postgres";
import { openPostgresRegistry, openPostgresRegistryAudit } from "@cadastre/store/registry";
import { catalogVersion, storedResources } from "../catalog.ts";
import { toCatalog } from "./catalogs.ts";
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

const urlSetting = "CADASTRE_DATABASE_URL";

/** Ends of messages about a database that cannot be used, by error code of PostgreSQL or of the connection. */
const remedies: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "cannot be reached: start the server, or correct CADASTRE_DATABASE_URL"],
  ["ENOTFOUND", "cannot be reached: correct the host in CADASTRE_DATABASE_URL"],
  ["ETIMEDOUT", "cannot be reached: open the way to the server, or correct CADASTRE_DATABASE_URL"],
  ["28P01", "refuses the password: correct CADASTRE_DATABASE_URL"],
  [
    "28000",
    "refuses the user: correct CADASTRE_DATABASE_URL, `sslcert` and `sslkey` in it, or `pg_hba.conf` of the server",
  ],
  ["3D000", "does not exist: create it, or correct CADASTRE_DATABASE_URL"],
  [
    "42501",
    "does not give its user the rights: run `cadastre migrate` with the owner's address in CADASTRE_DATABASE_URL, and after it the SQL of `cadastre init roles`",
  ],
  ["25006", "is a standby, which takes no writes: CADASTRE_DATABASE_URL must name the primary"],
  ["53300", "has no free connection: raise `max_connections` of the server, or start fewer processes"],
  ["57P03", "is starting up: try again in a moment"],
]);

/** End of a message about a change of tables by a user that does not own them. */
const ownerRemedy =
  "refuses its user, for this changes tables, which only their owner may do: run this command again with the owner's address in CADASTRE_DATABASE_URL. Nothing was changed (42501)";

/** Ends of messages about a connection that cannot be made, by pattern of the code, else of the text. The first one that matches counts. */
const connectionRemedies: readonly (readonly [RegExp, string])[] = [
  [
    /client password must be a string/,
    "asks for a password: write it in CADASTRE_DATABASE_URL, or in PGPASSWORD",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "has a certificate for another name than the host in CADASTRE_DATABASE_URL: write a name that is in the certificate",
  ],
  // A server with TLS 1.3 refuses a certificate only after the handshake.
  [
    /^ERR_SSL_.*ALERT/,
    "does not trust the certificate in `sslcert`: it must be of an authority in `ssl_ca_file` of the server",
  ],
  [
    /^ERR_OSSL_.*(?:MISMATCH|PEM|ASN1)/,
    "cannot use `sslcert` and `sslkey`: the key must be that of the certificate, both in PEM",
  ],
  // Source of these: OpenSSL, "x509_vfy".
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    "has a certificate that is not trusted: name its authority with `sslrootcert=<file>` in CADASTRE_DATABASE_URL",
  ],
  [
    /does not support SSL/,
    "does not encrypt connections: set `ssl = on` in its `postgresql.conf`, or correct `sslmode` in CADASTRE_DATABASE_URL",
  ],
];

/** End of a message about files that the address names. */
const fileRemedy =
  "needs a file that cannot be read: correct `sslrootcert`, `sslcert` and `sslkey` in CADASTRE_DATABASE_URL";

/** Returns the databases in two schemas of a PostgreSQL database. */
export function postgresDatabases({
  url,
  readUrls = [],
  connections,
  statements,
}: PostgresAddress): Databases {
  const name = addressName(url);
  const opening = <T>(open: () => Promise<T>): Promise<T> =>
    withRemedies(name, () => requireSchema(name, schemaRemedies, open));
  const openListings: Databases["openListings"] = async (
    { catalog: given, threads, timeout, limits, migration },
    creates = false,
  ) => {
    const catalog = given ?? (await catalogIn(url));
    const store = await openPostgresStore({
      connection: url,
      // A program that reads no pages for clients needs the latest state, of the primary.
      replicas: threads === 0 ? [] : readUrls,
      resources: storedResources(catalog),
      version: catalogVersion,
      migration: migration ?? "refuse",
      existing: !creates,
      timeout,
      limits,
      // A program that reads no pages for clients has no readers beside it.
      connections: threads === 0 ? 2 : connections,
      statements,
    });
    return Object.assign(store, { catalog });
  };
  const migrating = <T>(migration: Migration | "refuse" | undefined, open: () => Promise<T>): Promise<T> =>
    migration === undefined || migration === "refuse" ? opening(open) : opening(() => asOwner(name, open));
  const openRegistry = (migration: Parameters<Databases["openRegistry"]>[0], existing: boolean) =>
    openPostgresRegistry({ connection: url, wait: registryWait, migration, existing });
  return {
    listingsName: name,
    registryName: name,
    hasListings: () => withRemedies(name, () => exists(openListings({ threads: 0 }))),
    hasRegistry: () => withRemedies(name, () => exists(openRegistry("refuse", true))),
    openListings: (options, creates) => migrating(options.migration, () => openListings(options, creates)),
    openRegistry: (migration) => migrating(migration, () => openRegistry(migration, false)),
    openRegistryAudit: () =>
      withRemedies(name, () => openPostgresRegistryAudit({ connection: url, wait: registryWait })),
    requireRegistrySchema: (audit) => opening(audit.requireCurrent),
    explain: (error) => explained(name, error),
  };
}

/** Returns the catalog in force. */
async function catalogIn(url: string): Promise<Catalog> {
  const audit = await openPostgresRegistryAudit({ connection: url, wait: registryWait });
  try {
    return (await toCatalog(await audit.catalog())).catalog;
  } finally {
    await audit.close();
  }
}

/** Ways to divide tables into partitions: one for each dataset of the catalog, or by a hash of the dataset. */
const partitionings = {
  list: ({ systems }) => ({ by: "list", datasets: systems.map(({ datasetId }) => datasetId) }),
  hash: () => ({ by: "hash" }),
} as const satisfies Readonly<Record<Partitioning["by"], (catalog: Catalog) => Partitioning>>;

/** Names of the ways to divide tables into partitions. */
export const partitionNames = Object.keys(partitionings) as readonly Partitioning["by"][];

/**
 * Divides the tables of listings into partitions, in one transaction; tables that have partitions stay as they are.
 *
 * @throws {DataError} if the database cannot be used
 */
export const partitionListings = (
  { url }: PostgresAddress,
  by: Partitioning["by"],
  onProgress: (step: string) => void,
): Promise<void> =>
  withRemedies(addressName(url), async () => {
    const catalog = await catalogIn(url);
    const store = await asOwner(addressName(url), () =>
      openPostgresStore({
        connection: url,
        resources: storedResources(catalog),
        version: catalogVersion,
        migration: { onProgress },
        existing: true,
        partitions: partitionings[by](catalog),
      }),
    );
    await store.close();
  });

/** Returns the operations on the partitions of datasets. They throw a {@link DataError} if the database cannot be used. */
export function partitionsOf({ url }: PostgresAddress) {
  const place = { connection: url, resources: storedResources(dictionaryCatalog) };
  const changing = <T>(work: () => Promise<T>): Promise<T> =>
    withRemedies(addressName(url), () => asOwner(addressName(url), work));
  return {
    add: (datasetId: string) => changing(() => addPartitions(place, datasetId)),
    remove: (datasetId: string) =>
      changing(async () => {
        await detachPartitions(place, datasetId);
        await dropPartitions(place, datasetId);
      }),
    state: (datasetId: string) => withRemedies(addressName(url), () => partitionState(place, datasetId)),
    requireOwner: () => withRemedies(addressName(url), () => requirePartitionedOwner(url)),
  };
}

/** Selects a row if a table is divided by dataset, and the user does not own it. */
const foreignPartitions = `select 1 as "found" from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
  where p.partstrat = 'l' and c.relnamespace = to_regnamespace('cadastre') and not pg_has_role(c.relowner, 'usage')`;

async function requirePartitionedOwner(url: string): Promise<void> {
  const audit = await openPostgresRegistryAudit({ connection: url, wait: registryWait });
  try {
    const found = await audit.prepare("cadastre_registry", foreignPartitions).first();
    if (found !== undefined) throw new DataError(`${addressName(url)} ${ownerRemedy}`);
  } finally {
    await audit.close();
  }
}

/**
 * Calls `work` while no other process does so under the same name.
 *
 * @throws {DataError} if the database cannot be used
 */
export const withDatabaseLock = <T>(url: string, name: string, work: () => Promise<T>): Promise<T> =>
  withRemedies(addressName(url), () => withPostgresLock(url, name, work));

/** Returns the address of a database without its user, password and parameters, for messages. */
export function addressName(url: string): string {
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

/** Calls `work`, which changes tables. @throws {DataError} tells a user that does not own them who may */
async function asOwner<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = error instanceof StoreError ? error.cause : error;
    if (!(fault instanceof Error && "code" in fault && fault.code === "42501")) throw error;
    throw new DataError(`${name} ${ownerRemedy}`, { cause: error });
  }
}

/**
 * @param setting where the operator has written the address
 * @throws {DataError} in place of an error that the operator can fix
 */
export async function withRemedies<T>(
  name: string,
  work: () => Promise<T>,
  setting: string = urlSetting,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(name, error, setting);
  }
}

/** Returns a {@link DataError} in place of an error that the operator can fix. */
function explained(name: string, error: unknown, setting: string = urlSetting): unknown {
  const fault = error instanceof StoreError ? error.cause : error;
  const remedy = fault instanceof Error ? remedyOf(fault) : undefined;
  if (remedy === undefined) return error;
  return new DataError(`${name} ${remedy.replaceAll(urlSetting, setting)}`, { cause: error });
}

/** Returns the end of a message about a fault, undefined if no operator can fix it. */
function remedyOf(
  fault: Error & { readonly code?: unknown; readonly syscall?: unknown },
): string | undefined {
  const { code, message, syscall } = fault;
  const known = typeof code === "string" ? code : undefined;
  const remedy =
    (known !== undefined && syscall === "open" ? fileRemedy : undefined) ??
    remedies.get(known ?? "") ??
    connectionRemedies.find(([pattern]) => pattern.test(known ?? message))?.[1];
  return remedy === undefined || known === undefined ? remedy : `${remedy} (${known})`;
}
