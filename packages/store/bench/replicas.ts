// CPU time of each server per read, without standbys and with two. The busiest server limits the reads per second.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/replicas.ts [rows] [reads]
import { startPostgres } from "@cadastre/odata/testing";
import { openPostgresStore } from "../src/postgres/index.ts";
import { serverCpuTime } from "../src/testing/bench-databases.ts";
import { pageBy, recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 20_000);
const reads = Number(process.argv[3] ?? 1500);
const clients = 8;
const query = pageBy("City");

const primary = await startPostgres();
const created = await openPostgresStore({ connection: primary.url, resources: [resource] });
await created.commit(recordsOf(count));
await created.close();
const standbys = [await primary.startStandby(), await primary.startStandby()];
const servers = [primary, ...standbys];
const pools = servers.map((server) => server.connect(1));

/** Returns the CPU time of each server per read, in milliseconds. */
async function measure(replicas: readonly string[]): Promise<readonly number[]> {
  const store = await openPostgresStore({ connection: primary.url, replicas, resources: [resource] });
  const read = async (times: number) => {
    const from = Array.from({ length: clients }, async () => {
      for (let i = 0; i < times / clients; i += 1) await store.page(query);
    });
    await Promise.all(from);
  };
  // Opens the connections, so that their processes are there at both ends of the measurement.
  await read(reads / 5);
  const times = () => Promise.all(pools.map(serverCpuTime));
  const before = await times();
  await read(reads);
  const after = await times();
  const perRead = after.map((time, i) => (time - (before[i] ?? 0)) / reads);
  await store.close();
  return perRead;
}

// The first round, of cold caches, does not count.
await measure([]);
const [alone, shared] = [await measure([]), await measure(standbys.map(({ url }) => url))];
const ratio = Math.max(...alone) / Math.max(...shared);
console.log(
  "| CPU time a read, ms | primary | standby | standby | reads a second, ratio |\n|---|--:|--:|--:|--:|",
);
const row = (name: string, times: readonly number[], ratio: number) =>
  `| ${[name, ...times.map((time) => time.toFixed(2)), ratio.toFixed(2)].join(" | ")} |`;
console.log(row("without standbys", alone, 1));
console.log(row("with two standbys", shared, ratio));
await Promise.all(pools.map((pool) => pool.end()));
for (const server of servers.toReversed()) await server.stop();
