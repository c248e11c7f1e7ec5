import type { Store, StoredRecord, StoredResource } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";

/** All that the benches know of how a store is opened and filled. */
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
