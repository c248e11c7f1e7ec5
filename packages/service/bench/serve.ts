/*
 * Server process of the benchmarks: the service with authentication and log, for one entity set.
 *
 *   serve.js listings|located|dictionary <database> [folder of the registry]
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { identitiesOf } from "@cadastre/store/property";
import { createRates } from "../src/access/rates.ts";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { MemoryBudget } from "../src/http/memory-budget.ts";
import { memoryLimits } from "../src/http/memory-limits.ts";
import { listen } from "../src/http/server.ts";
import { createLog } from "../src/log.ts";
import { createAccess } from "./access.ts";
import { type ResourceChoice, resources } from "./resources.ts";
import { openStore } from "./store.ts";

const [choice = "", database = "", folder = dirname(database)] = process.argv.slice(2);
const resource = resources[choice as ResourceChoice];
// A rate limit that is never reached has the cost of a real one.
const settings = { CADASTRE_REQUESTS_PER_SECOND: "1000000", ...process.env };
const config = { ...readConfig(settings), host: "127.0.0.1", port: 0 };
// Two threads read pages, one scans.
const limits = memoryLimits(1024, 3);
const { apiKeys, edge } = await createAccess(resource.entitySet, join(folder, `${process.pid}.registry`));
const app = createApp({
  ...edge,
  config,
  catalog: sampleCatalog,
  log: createLog(config.logLevel),
  store: await openStore(database, resource, limits),
  memory: new MemoryBudget(limits),
  skipTokenKey: randomBytes(32),
  random: randomBytes,
  activeEntitySets: [resource.entitySet],
  rates: createRates(config),
  identities: async () => identitiesOf([]),
  profiles: async () => new Map(),
  now: Date.now,
  readiness: { reasons: async () => [] },
});
const { port } = await listen(app, config);
process.send?.({ port, keys: apiKeys });
