import { existsSync } from "node:fs";
import {
  auditDeliveries,
  createDeliveryRegistry,
  type DeliveryAudit,
  type DeliveryRegistry,
} from "@cadastre/delivery";
import type { Migration } from "@cadastre/store";
import {
  openRegistryAudit,
  openSqliteRegistry,
  type RegistryAudit,
  type AccessRegistry as StoreRegistry,
} from "@cadastre/store/registry";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { requireSchema } from "./listings.ts";

/** Time to wait for a lock that another process holds, in milliseconds. It is also the longest delay of the lookup of an API key. */
const wait = 1000;

/** Registry of the service: API keys, entitlements and deliveries. */
export type Registry = StoreRegistry & DeliveryRegistry;

/**
 * Opens the registry of the folder, and creates it if it does not exist. By default a registry of an earlier version is refused.
 *
 * @throws {DataError}
 */
export async function openRegistry(
  { registry: file }: DataFolder,
  migration: Migration | "refuse" = "refuse",
): Promise<Registry> {
  const registry = await requireSchema(file, () => openSqliteRegistry({ file, wait, migration }));
  return { ...registry, ...createDeliveryRegistry(registry.database) };
}

/**
 * Opens a registry read-only, to read everything it refers to in one transaction.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export function auditRegistry(file: string): ServiceAudit {
  const audit = openRegistryAudit(file);
  return { ...audit, ...auditDeliveries(audit) };
}

export type ServiceAudit = RegistryAudit & DeliveryAudit;

/**
 * Refuses a folder whose registry was lost: a new one would lock every customer out. Call it before the registry is opened.
 *
 * @throws {DataError}
 */
export function requireRegistry({ registry, secrets }: DataFolder): void {
  if (existsSync(secrets) && !existsSync(registry))
    throw new DataError(
      `${registry} does not exist, and ${secrets} belongs to it: put back both from your last backup, or move ${secrets} away to begin without keys and entitlements`,
    );
}

/** Calls `work` with the registry of the folder, and closes it afterwards. */
export async function withRegistry<T>(
  folder: DataFolder,
  work: (registry: Registry) => Promise<T>,
): Promise<T> {
  const registry = await openRegistry(folder);
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}
