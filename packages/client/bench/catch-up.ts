/*
 * Time and CPU time of a copy that is many deltas behind, for each delta.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/client/bench/catch-up.ts [deltas] [changes of each] [latency of each answer in ms]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect, follow, openTarget, serviceFeed } from "../src/index.ts";
import { deltaAfter, seedAfter, subscription } from "../test/support/chain.ts";
import { jwks, listings, type TestDelivery } from "../test/support/deliveries.ts";
import { apiKey, startServer } from "../test/support/server.ts";

const [deltas = 1200, changes = 10, latency = 0] = process.argv.slice(2).map(Number);
const seed = await seedAfter(undefined, { datasets: { listing: listings(1000) } });
const chain: TestDelivery[] = [seed];
for (let nth = 0; nth < deltas; nth++)
  chain.push(
    await deltaAfter(chain.at(-1) ?? seed, { datasets: { listing: listings(changes, (nth * 7) % 900) } }),
  );
const server = await startServer(seed);
server.trick = async () => {
  if (latency > 0) await setTimeout(latency);
  return false;
};
const folder = mkdtempSync(join(tmpdir(), "cadastre-catch-up-"));
const target = await openTarget(`sqlite:${join(folder, "copy.sqlite")}`);
const connection = connect({ url: server.url, apiKey });
const run = () =>
  follow(serviceFeed(connection, subscription, { trust: jwks, reference: "bench" }), {
    target,
    staging: join(folder, "staging"),
    once: true,
  });
await run();
for (const one of chain) server.deliveries.set(one.manifest.deliveryId, one);
const [begun, used, asked] = [performance.now(), process.cpuUsage(), server.requests.length];
await run();
const { user, system } = process.cpuUsage(used);
const each = (value: number) => (value / deltas).toFixed(2);
console.log(
  `${deltas} deltas of ${changes} rows, ${latency} ms for an answer: ${each(performance.now() - begun)} ms, ${each((user + system) / 1000)} ms of CPU and ${each(server.requests.length - asked)} requests for each`,
);
await target.close();
await server.close();
rmSync(folder, { recursive: true });
