import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "@cadastre/odata/testing";
import { openPostgresStore } from "@cadastre/store/postgres";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { type FilledStore, openMemoryStore } from "./memory-store.ts";
import { resources } from "./universe.ts";

/** Opens stores of one kind. */
export type Engine = {
  readonly open: (name: string) => Promise<FilledStore>;
  readonly close: () => Promise<void>;
};

const memory = async (): Promise<Engine> => ({ open: async () => openMemoryStore(), close: async () => {} });

async function sqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-interference-"));
  return {
    open: (name) => openSqliteStore({ file: join(folder, `${name}.sqlite`), resources, threads: 0 }),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function postgres(): Promise<Engine> {
  const server = await startPostgres();
  return {
    open: (schema) => openPostgresStore({ connection: server.url, schema, resources, connections: 2 }),
    close: () => server.stop(),
  };
}

export const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  memory,
  SQLite: sqlite,
  ...(hasPostgres ? { PostgreSQL: postgres } : {}),
};
if (!hasPostgres) console.warn("PostgreSQL is left out: no server is installed");
