import { existsSync } from "node:fs";
import type { Migration } from "@cadastre/store";
import { openSqliteRegistry, type Registry } from "@cadastre/store/registry";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { requireSchema } from "./listings.ts";

/** How long a change waits for that of another process, and a request for its key, in milliseconds. */
const wait = 1000;

/**
 * Opens the registry of the folder, and creates it if it does not exist. By default a registry of an earlier version is refused.
 *
 * @throws {DataError}
 */
export const openRegistry = (
  { registry: file }: DataFolder,
  migration: Migration | "refuse" = "refuse",
): Promise<Registry> => requireSchema(file, () => openSqliteRegistry({ file, wait, migration }));

/**
 * Refuses a folder whose registry is gone: a new one would lock every customer out. Call it before the registry is opened.
 *
 * @throws {DataError}
 */
export function requireRegistry({ registry, secrets }: DataFolder): void {
  if (existsSync(secrets) && !existsSync(registry))
    throw new DataError(
      `${registry} does not exist, and ${secrets} belongs to it: put back both from your last backup, or move ${secrets} away to begin without keys and entitlements`,
    );
}

/** Do `work` with the registry of the folder. */
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
