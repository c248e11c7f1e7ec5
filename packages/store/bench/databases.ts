import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "../../odata/test/support/postgres.ts";
import type { StoredResource, WritableStore } from "../src/index.ts";
import { openPostgresStore, type Wall } from "../src/postgres/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { resource } from "./listings.ts";

export type BenchDatabase = {
  readonly name: string;
  /** Where a store of this name lies: a file, or the URL of the server. */
  readonly place: (store: string) => string;
  readonly open: (store: string, wall?: Wall, of?: StoredResource) => Promise<WritableStore>;
  readonly close: () => Promise<void>;
};

/** Both databases, empty; PostgreSQL only where a server is installed. */
export async function openDatabases(): Promise<readonly BenchDatabase[]> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-"));
  const file = (store: string) => join(folder, `${store}.sqlite`);
  const sqlite: BenchDatabase = {
    name: "SQLite",
    place: file,
    open: (store, _wall, of = resource) =>
      openSqliteStore({ file: file(store), resources: [of], threads: 0, timeout: 60_000 }),
    close: async () => rmSync(folder, { recursive: true }),
  };
  if (!hasPostgres) return [sqlite];
  const server = await startPostgres();
  const postgres: BenchDatabase = {
    name: "PostgreSQL",
    place: () => server.url,
    open: (schema, wall, of = resource) =>
      openPostgresStore({
        wall,
        connection: server.url,
        schema,
        resources: [of],
        connections: 1,
        timeout: 60_000,
      }),
    close: server.stop,
  };
  return [sqlite, postgres];
}
