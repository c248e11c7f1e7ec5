/*
 * Time and CPU time of a copy that is many deltas behind, for each delta. Fails if it needs a new seed, or differs from a fresh copy.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/client/bench/catch-up.ts [deltas] [changes of each] [latency of each answer in ms]
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { connect, type FollowOptions, follow, openTarget, serviceFeed } from "../src/index.ts";
import { deltaAfter, seedAfter, subscription } from "../test/support/chain.ts";
import { jwks, listings, type Row, type TestDelivery } from "../test/support/deliveries.ts";
import { apiKey, startServer } from "../test/support/server.ts";

const [deltas = 1200, changes = 10, latency = 0] = process.argv.slice(2).map(Number);
const current = new Map<unknown, Row>();
/** Makes the rows of a delivery, and keeps them as the current ones. */
function changed(rows: readonly Row[]): { readonly listing: readonly Row[] } {
  for (const row of rows) current.set(row["ListingKey"], row);
  return { listing: rows };
}
const seed = await seedAfter(undefined, { datasets: changed(listings(1000)) });
const chain: TestDelivery[] = [seed];
for (let nth = 0; nth < deltas; nth++) {
  const rows = listings(changes, (nth * 7) % 900).map((row) => ({ ...row, ListPrice: nth }));
  chain.push(await deltaAfter(chain.at(-1) ?? seed, { datasets: changed(rows) }));
}
const server = await startServer(seed);
server.trick = async () => {
  if (latency > 0) await setTimeout(latency);
  return false;
};
const folder = mkdtempSync(join(tmpdir(), "cadastre-catch-up-"));
const connection = connect({ url: server.url, apiKey });
const loaded = { seed: 0, delta: 0, snapshot: 0 };
/** Follows the subscription until nothing is left to load. */
async function run(file: string): Promise<void> {
  const target = await openTarget(`sqlite:${join(folder, file)}`);
  const staging = join(folder, "staging");
  const feed = serviceFeed(connection, subscription, { trust: jwks, reference: "bench" });
  const onLoaded: FollowOptions["onLoaded"] = ({ manifest }) => {
    loaded[manifest.kind]++;
  };
  await follow(feed, { target, staging, once: true, onLoaded });
  await target.close();
}
const rowsOf = (file: string): readonly unknown[] => {
  const database = new Database(join(folder, file), { readonly: true });
  try {
    return database.prepare("select * from listing order by ListingKey").all();
  } finally {
    database.close();
  }
};
await run("copy.sqlite");
for (const one of chain) server.deliveries.set(one.manifest.deliveryId, one);
const [begun, used, asked] = [performance.now(), process.cpuUsage(), server.requests.length];
await run("copy.sqlite");
const [taken, { user, system }] = [performance.now() - begun, process.cpuUsage(used)];
const each = (value: number) => (value / deltas).toFixed(2);
console.log(
  `${deltas} deltas of ${changes} rows, ${latency} ms for an answer: ${each(taken)} ms, ${each((user + system) / 1000)} ms of CPU and ${each(server.requests.length - asked)} requests for each`,
);
assert.deepEqual(loaded, { seed: 1, delta: deltas, snapshot: 0 });
// A fresh copy loads the seed of a later generation with the current rows.
const last = chain.at(-1) ?? seed;
const fresh = await seedAfter(last, { datasets: { listing: [...current.values()] } });
server.deliveries.clear();
server.deliveries.set(fresh.manifest.deliveryId, fresh);
await run("fresh.sqlite");
assert.equal(rowsOf("fresh.sqlite").length, current.size);
assert.deepEqual(rowsOf("copy.sqlite"), rowsOf("fresh.sqlite"));
console.log(
  `${(taken / 1000).toFixed(1)} s and ${((user + system) / 1e6).toFixed(1)} s of CPU together, without a new seed; 0 of ${current.size} rows differ from a fresh copy`,
);
await server.close();
rmSync(folder, { recursive: true });
