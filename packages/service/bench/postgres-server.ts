import { startPostgres } from "@cadastre/odata/testing";
import { parentOf } from "./cpu.ts";
import { moveToServerCore } from "./processes.ts";

/** A PostgreSQL server with an empty database, on the server's core. */
export type BenchPostgres = {
  readonly url: string;
  /** Returns the URL of another empty database. */
  readonly createDatabase: () => Promise<string>;
  /** Main process, of which those of all connections are children. */
  readonly pid: number;
  /** Does in a database what the server would do by itself some time after a load. */
  readonly settle: (url?: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Memory as its manual recommends for a machine of 16 GB; what the server would do by itself is done by `settle`. */
const parameters = {
  shared_buffers: "4GB",
  max_wal_size: "16GB",
  maintenance_work_mem: "1GB",
  autovacuum: "off",
};

/** @param parent see `startPostgres` */
export async function startBenchPostgres(parent?: string): Promise<BenchPostgres> {
  const server = await startPostgres(undefined, parameters, parent);
  const { url, createDatabase, stop } = server;
  const pool = server.connect(1);
  // The server forks a process for each connection.
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = parentOf(rows[0]?.pid ?? 0);
  await pool.end();
  moveToServerCore(pid);
  const settle = async (database = url) => {
    // First, because no index alone can answer for rows whose commit is not on disk yet.
    server.run("psql", "-qc", "checkpoint", database);
    server.run("psql", "-qc", "vacuum analyze", database);
  };
  return { url, createDatabase, pid, settle, stop };
}
