import type { Change } from "@cadastre/store";
import { databasesOf } from "../../src/data/databases.ts";
import type { Running } from "./running.ts";

/** Changes records in the database of a running service, like an ingest in another process. */
export async function commitTo({ folder }: Running, changes: readonly Change[]): Promise<void> {
  const store = await databasesOf(folder).openListings({ threads: 0 });
  await store.commit(changes);
  await store.close();
}
