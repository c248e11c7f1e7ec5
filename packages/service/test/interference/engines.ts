import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "@cadastre/odata/testing";
import { openPostgresStore } from "@cadastre/store/postgres";
import { type AccessRegistry, openPostgresRegistry, openSqliteRegistry } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { type FilledStore, openMemoryStore } from "./memory-store.ts";
import { resources } from "./universe.ts";

/** Opens stores and registries of one kind. */
export type Engine = {
  /** True if the stores keep versions, which events are made of. */
  readonly hasHistory: boolean;
  readonly open: (name: string) => Promise<FilledStore>;
  readonly openRegistry: (name: string) => Promise<AccessRegistry>;
  readonly close: () => Promise<void>;
};

/** There is no registry in memory: it has one of SQLite. */
async function memory(): Promise<Engine> {
  return { ...(await sqlite()), hasHistory: false, open: async () => openMemoryStore() };
}

async function sqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-interference-"));
  const fileOf = (name: string) => join(folder, `${name}.sqlite`);
  return {
    hasHistory: true,
    open: (name) => openSqliteStore({ file: fileOf(name), resources, threads: 0 }),
    openRegistry: (name) => openSqliteRegistry({ file: fileOf(`${name}-registry`) }),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function postgres(): Promise<Engine> {
  const server = await startPostgres();
  return {
    hasHistory: true,
    open: (schema) => openPostgresStore({ connection: server.url, schema, resources, connections: 2 }),
    openRegistry: (name) => openPostgresRegistry({ connection: server.url, schema: `${name}_registry` }),
    close: () => server.stop(),
  };
}

export const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  memory,
  SQLite: sqlite,
  ...(hasPostgres ? { PostgreSQL: postgres } : {}),
};
if (!hasPostgres) console.warn("PostgreSQL is left out: no server is installed");
