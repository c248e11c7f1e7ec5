import type { Catalog } from "@cadastre/reso";
import { type Migration, StoreError, type StoreErrorCode } from "@cadastre/store";
import type { AccessRegistry, RegistryAudit } from "@cadastre/store/registry";
import type { SqliteStoreOptions } from "@cadastre/store/sqlite";
import type { Listings } from "../listings.ts";
import { DataError } from "./data-error.ts";

/** Options for opening the listings. Those for threads and memory concern SQLite alone. */
type ListingsOptions = Omit<SqliteStoreOptions, "file" | "resources" | "version" | "existing"> & {
  /** By default the one in force, which is read from the registry. */
  readonly catalog?: Catalog | undefined;
};

/** The two databases of a service, by engine. Every method throws a {@link DataError} for what the operator can fix. */
export type Databases = {
  /** Name of the listings in messages: a path, or an address without a password. */
  readonly listingsName: string;
  readonly registryName: string;
  readonly hasListings: () => Promise<boolean>;
  readonly hasRegistry: () => Promise<boolean>;
  /**
   * Opens the listings. A database of an earlier version is refused unless the options say how to migrate it.
   *
   * @param creates true to create a database that does not exist
   */
  readonly openListings: (options: ListingsOptions, creates?: boolean) => Promise<Listings>;
  /** Opens the registry, and creates it if it does not exist. */
  readonly openRegistry: (migration: Migration | "refuse") => Promise<AccessRegistry>;
  /** Opens the registry, which must exist, to read all of it in one transaction. */
  readonly openRegistryAudit: () => Promise<RegistryAudit>;
  /** Refuses a registry that is not of this version. */
  readonly requireRegistrySchema: (audit: RegistryAudit) => Promise<void>;
  /** Returns a {@link DataError} in place of an error of the database that the operator can fix. Other errors are returned unchanged. */
  readonly explain: (error: unknown) => unknown;
};

/** Ends of messages about a database whose schema is not this version's, by error code. */
export type SchemaRemedies = Partial<Record<StoreErrorCode, string>>;

/** Time to wait for a lock that another process holds, in milliseconds. It is also the longest delay of the lookup of an API key. */
export const registryWait = 1000;

/**
 * Opens a database.
 *
 * @param name name of the database in messages
 * @throws {DataError} with a remedy, if its schema is not this version's
 */
export async function requireSchema<T>(
  name: string,
  remedies: SchemaRemedies,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    const remedy = cause instanceof StoreError ? remedies[cause.code] : undefined;
    if (remedy === undefined) throw cause;
    const { details } = cause as StoreError;
    throw new DataError(`${name} ${remedy}${details === undefined ? "" : ` (${details})`}`, { cause });
  }
}
