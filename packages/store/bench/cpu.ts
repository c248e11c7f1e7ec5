import { readFileSync } from "node:fs";
import pg from "pg";
import type { BenchDatabase } from "./databases.ts";

/** Returns the CPU time used so far by this process and the server's processes, in milliseconds. */
export async function cpu({ name, place }: BenchDatabase): Promise<number> {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  return name === "PostgreSQL" ? own + (await serverCpu(place(""))) : own;
}

/** Source: proc(5), `schedstat`: the first number is the time on a CPU in nanoseconds. */
async function serverCpu(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where pid <> pg_backend_pid()",
  );
  await client.end();
  const times = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]));
  return times.reduce((sum, one) => sum + one, 0) / 1e6;
}
