import type { Store, StoredRecord, StoredResource } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";

// The only functions of the benchmarks that open and fill a store.
export const openStore = (file: string, resource: StoredResource): Promise<Store> =>
  openSqliteStore({ file, resources: [resource] });

export async function fillStore(
  file: string,
  resource: StoredResource,
  records: Iterable<StoredRecord>,
): Promise<void> {
  const store = await openSqliteStore({ file, resources: [resource], threads: 0 });
  await store.commit(records);
  await store.close();
}
