import type { Migration } from "@cadastre/store";
import { openSqliteRegistry, type Registry } from "@cadastre/store/registry";
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
