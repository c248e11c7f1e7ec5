import type { Change } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../../src/catalog.ts";
import type { Running } from "./running.ts";

/** Change records of a service, as an ingest beside it does. */
export async function commitTo({ folder }: Running, changes: readonly Change[]): Promise<void> {
  const store = await openSqliteStore({ file: folder.database, resources: storedResources, threads: 0 });
  await store.commit(changes);
  await store.close();
}
