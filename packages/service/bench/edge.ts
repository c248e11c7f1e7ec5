/*
 * CPU time of authenticating a request: the lookups of its key and scope, without HTTP.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/edge.ts [--requests 200000] [--rounds 5]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiKey } from "../src/access/key-text.ts";
import { createAccess } from "./access.ts";
import { resources } from "./resources.ts";
import { settingsOf } from "./settings.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({ requests: "200000", rounds: "5" });
const [requests, rounds] = [Number(given.requests), Number(given.rounds)];

const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
const { apiKeys, edge } = await createAccess(resources.listings.entitySet, join(folder, "registry.sqlite"));

async function enter(apiKey: string): Promise<void> {
  const at = Date.now();
  const record = await edge.keys.find(apiKey, at);
  if (record !== undefined) await edge.scopes.of(record.customer, at);
}

/** Returns the average CPU time of `count` requests in µs, as the median of the rounds. */
async function costOf(count: number, keyOf: () => string): Promise<number> {
  const costs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const keys = Array.from({ length: count }, keyOf);
    const before = process.cpuUsage();
    for (const key of keys) await enter(key);
    const { user, system } = process.cpuUsage(before);
    // Round -1 warms up.
    if (round >= 0) costs.push((user + system) / count);
  }
  return median(costs);
}

console.log(head("a request with", "CPU µs"));
console.log(line("a key in force", number(await costOf(requests, () => apiKeys.all))));
console.log(
  line("an unknown key, each time another", number(await costOf(requests / 20, () => createApiKey()))),
);
console.log(line("no key", number(await costOf(requests, () => ""))));
await rm(folder, { recursive: true });
process.exit();
