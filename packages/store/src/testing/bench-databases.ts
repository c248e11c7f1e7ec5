import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "@cadastre/odata/testing";
import type { Pool } from "pg";
import type { StoredResource, WritableStore } from "../index.ts";
import { openPostgresStore, type Wall } from "../postgres/index.ts";
import { openSqliteStore } from "../sqlite/index.ts";

/** A database to measure, with stores that each have one resource. */
export type BenchDatabase = {
  readonly name: "SQLite" | "PostgreSQL";
  /** Returns the location of a store: a file, or the URL of the server. */
  readonly place: (store: string) => string;
  readonly open: (store: string, resource: StoredResource, wall?: Wall) => Promise<WritableStore>;
  /** Returns the CPU time used so far by this process and the server's processes, in milliseconds. */
  readonly cpuTime: () => Promise<number>;
  /** Returns the bytes that a store and its indexes occupy. */
  readonly sizeOf: (store: string, resource: StoredResource) => Promise<number>;
  /** Vacuums as autovacuum does before long: index-only scans need it. */
  readonly vacuum: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens both databases, empty; PostgreSQL only where a server is installed. */
export async function openBenchDatabases(): Promise<readonly BenchDatabase[]> {
  return hasPostgres ? [openSqlite(), await openPostgres()] : [openSqlite()];
}

function openSqlite(): BenchDatabase {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-"));
  const fileOf = (store: string) => join(folder, `${store}.sqlite`);
  return {
    name: "SQLite",
    place: fileOf,
    open: (store, resource) =>
      openSqliteStore({ file: fileOf(store), resources: [resource], threads: 0, timeout: 60_000 }),
    cpuTime: async () => ownCpuTime(),
    sizeOf: async (store) => statSync(fileOf(store)).size,
    vacuum: async () => {},
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function openPostgres(): Promise<BenchDatabase> {
  const server = await startPostgres();
  const pool = server.connect(1);
  return {
    name: "PostgreSQL",
    place: () => server.url,
    open: (schema, resource, wall) =>
      openPostgresStore({
        wall,
        connection: server.url,
        schema,
        resources: [resource],
        connections: 1,
        timeout: 60_000,
      }),
    cpuTime: async () => (await serverCpuTime(pool)) + ownCpuTime(),
    sizeOf: async (store, { entitySet: { name } }) => {
      const size = `select pg_total_relation_size('"${store}"."${name}"') as bytes`;
      const { rows } = await pool.query<{ bytes: string }>(size);
      return Number(rows[0]?.bytes);
    },
    vacuum: async () => void (await pool.query("vacuum")),
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

export function ownCpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of each process of a server when it was last looked at: connections that are idle for long end. */
const lastSeen = new Map<number, number>();

/**
 * Returns the CPU time used so far by the processes of a server on this machine, apart from that of the pool's connection and those of
 * autovacuum, which come and go, in milliseconds. It never falls.
 */
export async function serverCpuTime(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type <> 'autovacuum worker'",
  );
  for (const { pid } of rows) lastSeen.set(pid, cpuTimeOf(pid));
  return [...lastSeen.values()].reduce((sum, time) => sum + time, 0);
}

/** Source: proc(5), `schedstat`: the first number is the time on a CPU in nanoseconds. */
const cpuTimeOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
