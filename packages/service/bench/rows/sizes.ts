import { existsSync, statSync } from "node:fs";
import pg from "pg";
import type { Bench } from "../bench.ts";
import { outputOf } from "../printed.ts";
import { listingDatabases } from "../subjects.ts";
import { atLeastOfFloor, atMost, type Measure, type Row } from "./row.ts";

async function bytesOf(database: string): Promise<number> {
  if (!database.startsWith("postgres:"))
    return [database, `${database}-wal`]
      .filter((file) => existsSync(file))
      .reduce((sum, file) => sum + statSync(file).size, 0);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_database_size(current_database()) as bytes",
  );
  await client.end();
  return Number(rows[0]?.bytes);
}

const megabytesOf =
  (which: "floor" | "service"): Measure =>
  async (bench) =>
    (await bytesOf((await listingDatabases(bench))[which])) / 1e6;

const likeTheFloor = {
  "naive code": "as the floor",
  "SAP CAP": "as the floor",
  "reso-tools": "as the floor",
};

const ingest = (bench: Bench) =>
  bench.shared("ingest", () => outputOf("store/bench/ingest.ts", String(bench.sizes.sample)));

/** Reads a rate from what `store/bench/ingest.ts` prints: `SQLite: commit 9000 rows/s, unchanged …`. */
const rateOf =
  (work: string): Measure =>
  async (bench) => {
    const output = await ingest(bench);
    const [, rate] = new RegExp(`^${bench.database}:.*\\b${work} (\\d+) rows/s`, "m").exec(output) ?? [];
    return rate === undefined ? "not printed" : Number(rate);
  };

export const sizeRows: readonly Row[] = [
  {
    name: "database",
    unit: "MB",
    goals: { SQLite: atMost(500) },
    once: true,
    ours: megabytesOf("service"),
    floor: megabytesOf("floor"),
    peers: likeTheFloor,
  },
  {
    name: "load, 16 indexes",
    unit: "rows/s",
    goals: { SQLite: atLeastOfFloor(0.9), PostgreSQL: atLeastOfFloor(0.9) },
    once: true,
    ours: rateOf("commit"),
    floor: rateOf("bare inserts"),
    peers: { "naive code": "as the floor", "SAP CAP": "not set up", "reso-tools": "not set up" },
  },
];
