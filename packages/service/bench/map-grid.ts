/*
 * Cost of the grid of counts over a map: the first answer of a scope, and those that follow.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/map-grid.ts [--listings 20000] [--rounds 20]
 *
 * The listings have the members of a sample listing and lie round 300 towns. The store runs in this process, so CPU time is that of both.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { replyOf } from "../src/endpoint/routes.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { mapGrid } from "../src/v1/map-grid.ts";
import { endpointRequest } from "./endpoint-request.ts";
import { settingsOf } from "./settings.ts";

const settings = settingsOf({ listings: "20000", rounds: "20" });
const [listings, rounds] = [Number(settings.listings), Number(settings.rounds)];
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));

const samples = [...sampleRecords(generateMarket({ seed: 1, listings: 200 }))].filter(
  ({ resource }) => resource === "Property",
);

/** A number from 0 to 1 that is a function of `n`. */
const fraction = (n: number) => {
  const spread = Math.sin(n * 12.9898) * 43_758.5453;
  return spread - Math.floor(spread);
};

function* records(): Generator<StoredRecord> {
  for (let n = 0; n < listings; n++) {
    const sample = samples[n % samples.length];
    if (sample === undefined) return;
    const town = Math.floor(fraction(n) * 300);
    const near = (degrees: number, seed: number) =>
      Number((degrees + (fraction(n + seed) - 0.5) * fraction(n + seed + 1)).toFixed(6));
    const Latitude = near(27 + 20 * fraction(town + 0.1), 0.3);
    const Longitude = near(-120 + 45 * fraction(town + 0.2), 0.7);
    const Coordinates = { type: "Point", coordinates: [Longitude, Latitude] };
    const record = { ...sample.record, ListingKey: `bench_${n}`, Latitude, Longitude, Coordinates };
    yield { ...sample, record };
  }
}

/** Returns the CPU time of `work` in milliseconds, of all threads. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const scope = systemScope(sampleCatalog);

try {
  const file = join(folder, "listings.sqlite");
  const store = await openSqliteStore({
    file,
    resources: storedResources(sampleCatalog),
    threads: 0,
    timeout: 60_000,
  });
  await store.commit(records());
  const services = {
    catalog: sampleCatalog,
    store,
    activeEntitySets: [sampleCatalog.entitySet("Property")],
    identities: () => Promise.reject(new Error("not asked")),
    profiles: () => Promise.reject(new Error("not asked")),
    config: { ...readConfig({}), minimumCellSize: 10 },
  };
  const answer = (given: Readonly<Record<string, string>>) =>
    mapGrid.handle(
      {
        ...endpointRequest(scope),
        query: mapGrid.query.parse(given),
        reply: replyOf(mapGrid, { scope, apiKey: "" }),
      },
      services,
    );
  for (const given of [
    {},
    { box: "-125,24,-66,50", cells: "128" },
    { box: "-98,30,-97,31", cells: "100" },
    { filter: "StandardStatus eq 'Active'" },
    { filter: "ListPrice lt 500000 and contains(City,'on')" },
  ] as readonly Readonly<Record<string, string>>[]) {
    const first = await cpuTime(() => answer(given));
    const again = await cpuTime(async () => {
      for (let i = 0; i < rounds; i++) await answer(given);
    });
    console.log(
      `${JSON.stringify(given)}: first ${first.toFixed(0)} ms, then ${(again / rounds).toFixed(1)} ms`,
    );
  }
  await store.close();
} finally {
  await rm(folder, { recursive: true });
}
