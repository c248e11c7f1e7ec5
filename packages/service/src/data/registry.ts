import type { Migration } from "@cadastre/store";
import { openSqliteRegistry, type Registry } from "@cadastre/store/registry";
import type { DataFolder } from "./data-folder.ts";
import { requireSchema } from "./listings.ts";

/** How long a change waits for that of another process, and a request for its key, in milliseconds. */
const wait = 1000;

/**
 * The registry of the folder, made if it does not exist. One of an earlier version is refused unless it is said how to migrate it.
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
