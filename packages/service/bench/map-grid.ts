/*
 * Cost of the grid of counts over a map: the first answer of a scope and filter, those that follow, and the first one after a commit. On both
 * databases; PostgreSQL only where a server is installed.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/map-grid.ts
 *     [--listings 20000] [--rounds 20] [--changed 1000] [--members all|columns]
 *
 * The listings lie round 300 towns. They have all members of a sample listing, or those alone that have a column: a million of them need a
 * quarter of the space then. CPU time is that of this process, where SQLite runs, and of PostgreSQL's server.
 */
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { type BenchDatabase, openBenchDatabases } from "@cadastre/store/testing";
import { storedResources } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { replyOf } from "../src/endpoint/routes.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { mapGrid } from "../src/v1/map-grid.ts";
import { endpointRequest } from "./endpoint-request.ts";
import { settingsOf } from "./settings.ts";

const settings = settingsOf({ listings: "20000", rounds: "20", changed: "1000", members: "all" });
const [listings, rounds, changed] = [settings.listings, settings.rounds, settings.changed].map(Number) as [
  number,
  number,
  number,
];

const property = storedResources(sampleCatalog).find(({ entitySet }) => entitySet.name === "Property");
if (property === undefined) throw new RangeError("the catalog has listings");
const columns = new Set(property.columns);

const samples = [...sampleRecords(generateMarket({ seed: 1, listings: 200 }))].filter(
  ({ resource }) => resource === "Property",
);

/** A number from 0 to 1 that is a function of `n`. */
const fraction = (n: number) => {
  const spread = Math.sin(n * 12.9898) * 43_758.5453;
  return spread - Math.floor(spread);
};

/** @param seed moves the listings */
function* records(count: number, seed: number): Generator<StoredRecord> {
  for (let n = 0; n < count; n++) {
    const sample = samples[n % samples.length];
    if (sample === undefined) return;
    const town = Math.floor(fraction(n) * 300);
    const near = (degrees: number, shift: number) =>
      Number((degrees + (fraction(n + seed + shift) - 0.5) * fraction(n + shift + 1)).toFixed(6));
    const Latitude = near(27 + 20 * fraction(town + 0.1), 0.3);
    const Longitude = near(-120 + 45 * fraction(town + 0.2), 0.7);
    const Coordinates = { type: "Point", coordinates: [Longitude, Latitude] };
    const members = Object.entries(sample.record).filter(
      ([name]) => settings.members === "all" || columns.has(name),
    );
    const record = {
      ...Object.fromEntries(members),
      ListingKey: `bench_${n}`,
      Latitude,
      Longitude,
      Coordinates,
    };
    yield { ...sample, record };
  }
}

const scope = systemScope(sampleCatalog);
const asked: readonly Readonly<Record<string, string>>[] = [
  {},
  { box: "-125,24,-66,50", cells: "128" },
  { box: "-98,30,-97,31", cells: "100" },
  { filter: "StandardStatus eq 'Active'" },
  { filter: "ListPrice lt 500000 and contains(City,'on')" },
];

async function measure(database: BenchDatabase): Promise<void> {
  const store = await database.open("listings", property as NonNullable<typeof property>);
  await store.commit(records(listings, 0));
  await database.vacuum();
  const services = {
    catalog: sampleCatalog,
    store,
    activeEntitySets: [sampleCatalog.entitySet("Property")],
    identities: () => Promise.reject(new Error("not asked")),
    profiles: () => Promise.reject(new Error("not asked")),
    config: { ...readConfig({}), minimumCellSize: 10 },
  };
  const cpuOf = async (given: Readonly<Record<string, string>>, times: number) => {
    const start = await database.cpuTime();
    for (let i = 0; i < times; i++)
      await mapGrid.handle(
        {
          ...endpointRequest(scope),
          query: mapGrid.query.parse(given),
          reply: replyOf(mapGrid, { scope, apiKey: "" }),
        },
        services,
      );
    return (((await database.cpuTime()) - start) / times).toFixed(1);
  };
  const first: string[] = [];
  const again: string[] = [];
  for (const given of asked) {
    first.push(await cpuOf(given, 1));
    again.push(await cpuOf(given, rounds));
  }
  await store.commit(records(changed, 0.37));
  for (const [i, given] of asked.entries()) {
    const after = await cpuOf(given, 1);
    console.log(
      `${database.name} ${JSON.stringify(given)}: first ${first[i]} ms, then ${again[i]} ms, after a commit of ${changed} ${after} ms`,
    );
  }
  await store.close();
}

for (const database of await openBenchDatabases()) {
  try {
    await measure(database);
  } finally {
    await database.close();
  }
}
