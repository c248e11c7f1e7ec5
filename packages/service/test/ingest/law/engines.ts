import { hasPostgres, startPostgres } from "@cadastre/odata/testing";
import type { WritableStore } from "@cadastre/store";
import { openPostgresStore } from "@cadastre/store/postgres";
import { storedResources } from "../../../src/catalog.ts";
import { openEmptyStore } from "../../support/ingesting.ts";
import { testCatalog } from "../../support/test-catalog.ts";

/** A store of every resource on one of the databases. */
export type LawEngine = {
  readonly name: string;
  readonly store: WritableStore;
  readonly close: () => Promise<void>;
};

/** SQLite, and PostgreSQL where it is installed. */
export async function openEngines(): Promise<readonly LawEngine[]> {
  const sqlite = { name: "SQLite", ...(await openEmptyStore()) };
  if (!hasPostgres) {
    console.warn("PostgreSQL is left out: no server is installed");
    return [sqlite];
  }
  const server = await startPostgres();
  const store = await openPostgresStore({
    connection: server.url,
    schema: "law",
    resources: storedResources(testCatalog),
    connections: 2,
  });
  const close = async () => {
    await store.close();
    await server.stop();
  };
  return [sqlite, { name: "PostgreSQL", store, close }];
}
