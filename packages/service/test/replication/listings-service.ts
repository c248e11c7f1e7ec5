import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { identitiesOf } from "@cadastre/store/property";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { createAccess } from "../../bench/access.ts";
import { recordsOf } from "../../bench/records.ts";
import { resources } from "../../bench/resources.ts";
import { createRates } from "../../src/access/rates.ts";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { MemoryBudget } from "../../src/http/memory-budget.ts";
import { memoryLimits } from "../../src/http/memory-limits.ts";
import { listen } from "../../src/http/server.ts";
import { createLog } from "../../src/log.ts";

/** The service over listings that can be changed underneath. */
export type ListingsService = {
  readonly odata: string;
  readonly apiKey: string;
  readonly commit: WritableStore["commit"];
  readonly stop: () => Promise<void>;
};

/** The service's own application over the first `count` listings of the benches, on a real socket. */
export async function startListings(count: number): Promise<ListingsService> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-replication-"));
  const resource = resources.listings;
  const file = join(folder, "listings.sqlite");
  const store = await openSqliteStore({ file, resources: [resource] });
  await store.commit(recordsOf("listings", count));
  const { apiKeys, edge } = await createAccess(resource.entitySet, join(folder, "registry.sqlite"));
  const config = readConfig({
    PORT: "0",
    CADASTRE_REQUESTS_PER_SECOND: "1000000",
    CADASTRE_LOG_LEVEL: "silent",
  });
  const app = createApp({
    ...edge,
    config,
    catalog: sampleCatalog,
    log: createLog(config.logLevel),
    store,
    memory: new MemoryBudget(memoryLimits(1024, 2)),
    skipTokenKey: randomBytes(32),
    random: randomBytes,
    activeEntitySets: [resource.entitySet],
    rates: createRates(config),
    identities: async () => identitiesOf([]),
    profiles: async () => new Map(),
    now: Date.now,
    readiness: { reasons: async () => [] },
  });
  const server = await listen(app, config);
  return {
    odata: `http://127.0.0.1:${server.port}/reso/odata`,
    apiKey: apiKeys.all,
    commit: store.commit,
    stop: async () => {
      await server.stop(0);
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
