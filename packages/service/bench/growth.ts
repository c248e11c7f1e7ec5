/*
 * Growth of the cost of each query with the number of listings: prints a table, and writes a plot for the docs.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/growth.ts [--sizes 10000,100000,1000000] [--seconds 1] [--warm 3] [--rounds 5] [--plot docs/growth.svg] [--database SQLite|PostgreSQL] [--look-ups "key;count and 20"] [--distinct 5]
 *
 * With `--distinct` each look-up asks the same few requests again and again, so that what it reads is in every cache: what grows then
 * is work, and what grows only without it is reading from farther away.
 *
 * Measures the CPU time per request of the whole service over HTTP, pinned to one core, and that of the PostgreSQL server with it.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { type Client, connect } from "./client.ts";
import { drive, walk } from "./drive.ts";
import { type LookUp, lookUps } from "./look-ups.ts";
import { plotSvg } from "./plot.ts";
import { startBenchPostgres } from "./postgres-server.ts";
import { load, moveToClientCore, start } from "./processes.ts";
import { chosenOf, settingsOf } from "./settings.ts";
import { concurrency } from "./subjects.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({
  sizes: "10000,100000,1000000",
  seconds: "1",
  warm: "3",
  rounds: "5",
  plot: "",
  database: "SQLite",
  distinct: String(Number.MAX_SAFE_INTEGER),
  "look-ups": lookUps.map(({ name }) => name).join(";"),
});
const chosen = chosenOf(given["look-ups"], lookUps);
const sizes = given.sizes.split(",").map(Number);
const [seconds, warm, rounds, distinct] = [given.seconds, given.warm, given.rounds, given.distinct].map(
  Number,
) as [number, number, number, number];

/** Number of pages of a walk. In the smallest set, the last one is in the middle of the set. */
const pages = 5;

/** Number of walks in a round: the system counts CPU time in steps of 10 ms. */
const walks = 10;

/** A service with so many listings. */
type Grown = {
  readonly listings: number;
  readonly client: Client;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

async function startWith(listings: number, url: string, folder: string): Promise<Grown> {
  const running = await start("serve", ["located", url, folder]);
  const client = connect(running, concurrency, running.keys.all);
  const stop = async () => {
    client.close();
    await running.stop();
  };
  return { listings, client, pid: running.pid, stop };
}

/** Returns the CPU time of a look-up, in milliseconds per request. */
async function costOf(query: LookUp, { client, pid, listings }: Grown, seconds: number): Promise<number> {
  const asked = { client, pid, database: postgres?.pid };
  const pathOf = (turn: number) => query.service(turn % distinct, listings);
  if (!query.walk) return (await drive(asked, pathOf, { seconds, concurrency })).cpu;
  let cpu = 0;
  for (let i = 0; i < walks; i++) cpu += (await walk(asked, pathOf(0), pages)).cpu;
  return cpu / walks;
}

/** Returns the CPU time of each look-up by size. The services take turns, so that a machine which gets slower does so for all of them. */
async function costsOf(grown: readonly Grown[]): Promise<readonly (readonly number[])[]> {
  const costs: number[][][] = chosen.map(() => grown.map(() => []));
  for (let round = -1; round < rounds; round++)
    for (const [i, query] of chosen.entries())
      for (const [k, one] of grown.entries()) {
        const cost = await costOf(query, one, round < 0 ? warm : seconds);
        if (round >= 0) costs[i]?.[k]?.push(cost);
      }
  return costs.map((ofQuery) => ofQuery.map(median));
}

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
// A million listings on PostgreSQL take 14 GB with the write-ahead log, too much for memory.
const postgres = given.database === "PostgreSQL" ? await startBenchPostgres(tmpdir()) : undefined;
const grown: Grown[] = [];
try {
  for (const listings of sizes) {
    const url = (await postgres?.createDatabase()) ?? join(folder, `${listings}.sqlite`);
    await load("located", url, listings);
    await postgres?.settle(url);
    grown.push(await startWith(listings, url, folder));
  }
  const costs = await costsOf(grown);
  const steps = sizes.map((size) => size.toLocaleString("en-US"));
  console.log(head("CPU ms a request, listings", ...steps, "last ÷ first"));
  for (const [i, { name }] of chosen.entries()) {
    const values = costs[i] ?? [];
    const growth = (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN);
    console.log(line(name, ...values.map(number), number(growth)));
  }
  const plotted = chosen.map(({ name }, i) => ({
    name,
    values: (costs[i] ?? []).map((cpu) => Math.max(cpu, 0.01)),
  }));
  if (given.plot !== "")
    await writeFile(given.plot, plotSvg({ title: "CPU ms a request, by listings", steps, series: plotted }));
} finally {
  for (const { stop } of grown) await stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}
