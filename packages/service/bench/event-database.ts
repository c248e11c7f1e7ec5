import { join } from "node:path";
import { startPostgres } from "@cadastre/odata/testing";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { openPostgresStore } from "@cadastre/store/postgres";
import { type AccessRegistry, openPostgresRegistry, openSqliteRegistry } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { ownCpuTime, serverCpuTime } from "@cadastre/store/testing";
import { storedResources } from "../src/catalog.ts";

/** An empty store and an empty registry. */
export type EventDatabase = {
  readonly store: WritableStore;
  readonly registry: AccessRegistry;
  /** Returns the CPU time so far of this process and of the server, in milliseconds. */
  readonly cpuTime: () => Promise<number>;
  /** Does what the server would do by itself some time after a load. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens both in a folder, or on a server of their own. @param name `SQLite` or `PostgreSQL` */
export const openDatabase = (name: string, folder: string): Promise<EventDatabase> =>
  name === "PostgreSQL" ? openPostgres() : openSqlite(folder);

const resources = storedResources(sampleCatalog);

async function openSqlite(folder: string): Promise<EventDatabase> {
  const store = await openSqliteStore({
    file: join(folder, "listings.sqlite"),
    resources,
    threads: 0,
    timeout: 600_000,
  });
  const registry = await openSqliteRegistry({ file: join(folder, "registry.sqlite") });
  return {
    store,
    registry,
    cpuTime: async () => ownCpuTime(),
    settle: async () => {},
    close: async () => {
      await registry.close();
      await store.close();
    },
  };
}

async function openPostgres(): Promise<EventDatabase> {
  const server = await startPostgres();
  const { url: connection } = server;
  const store = await openPostgresStore({ connection, resources, connections: 2, timeout: 600_000 });
  const registry = await openPostgresRegistry({ connection, wait: 60_000 });
  const operator = server.connect(1);
  return {
    store,
    registry,
    cpuTime: async () => (await serverCpuTime(operator)) + ownCpuTime(),
    settle: async () => void (await operator.query("vacuum analyze")),
    close: async () => {
      await registry.close();
      await store.close();
      await operator.end();
      await server.stop();
    },
  };
}
