import { existsSync } from "node:fs";
import {
  auditDeliveries,
  createDeliveryRegistry,
  type DeliveryAudit,
  type DeliveryRegistry,
} from "@cadastre/delivery";
import type { Migration } from "@cadastre/store";
import type { RegistryAudit, AccessRegistry as StoreRegistry } from "@cadastre/store/registry";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";

/** Registry of the service: API keys, entitlements and deliveries. */
export type Registry = StoreRegistry & DeliveryRegistry;

/**
 * Opens the registry of the folder, and creates it if it does not exist. By default a registry of an earlier version is refused.
 *
 * @throws {DataError}
 */
export async function openRegistry(
  folder: DataFolder,
  migration: Migration | "refuse" = "refuse",
): Promise<Registry> {
  const registry = await databasesOf(folder).openRegistry(migration);
  return { ...registry, ...createDeliveryRegistry(registry.database) };
}

export type ServiceAudit = RegistryAudit & DeliveryAudit;

/**
 * Opens the registry of a folder read-only, to read everything it refers to in one transaction.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export async function openRegistryAudit(folder: DataFolder): Promise<ServiceAudit> {
  const audit = await databasesOf(folder).openRegistryAudit();
  return { ...audit, ...auditDeliveries(audit) };
}

/** Calls `work` with the registry of the folder opened read-only. Returns undefined if there is no registry. */
export async function withRegistryAudit<T>(
  folder: DataFolder,
  work: (audit: ServiceAudit) => Promise<T>,
): Promise<T | undefined> {
  if (!(await databasesOf(folder).hasRegistry())) return undefined;
  const audit = await openRegistryAudit(folder);
  try {
    return await work(audit);
  } finally {
    await audit.close();
  }
}

/**
 * Refuses a folder whose registry was lost: a new one would lock every customer out. Call it before the registry is opened.
 *
 * @throws {DataError}
 */
export async function refuseLostRegistry(folder: DataFolder): Promise<void> {
  const { registryName, hasRegistry } = databasesOf(folder);
  if (existsSync(folder.secrets) && !(await hasRegistry()))
    throw new DataError(
      `${registryName} does not exist, and ${folder.secrets} belongs to it: put back both from your last backup, or move ${folder.secrets} away to begin without keys and entitlements`,
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
