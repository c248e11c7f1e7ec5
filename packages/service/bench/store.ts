import type { Store, StoredRecord, StoredResource } from "@cadastre/store";
import { openPostgresStore } from "@cadastre/store/postgres";
import { openSqliteStore } from "@cadastre/store/sqlite";
import type { MemoryLimits } from "../src/http/memory-limits.ts";

const isPostgres = (database: string): boolean => database.startsWith("postgres:");

// The only functions of the benchmarks that open and fill a store. A database is a file of SQLite, or a URL of PostgreSQL.
export const openStore = (
  database: string,
  resource: StoredResource,
  { pageCache, threadBuffers, threadHeap }: MemoryLimits,
): Promise<Store> =>
  isPostgres(database)
    ? openPostgresStore({ connection: database, resources: [resource] })
    : openSqliteStore({
        file: database,
        resources: [resource],
        pageCache,
        buffers: threadBuffers,
        heap: threadHeap,
      });

export async function fillStore(
  database: string,
  resource: StoredResource,
  records: Iterable<StoredRecord>,
): Promise<void> {
  const resources = [resource];
  const store = isPostgres(database)
    ? await openPostgresStore({ connection: database, resources })
    : await openSqliteStore({ file: database, resources, threads: 0 });
  await store.commit(records);
  await store.close();
}
