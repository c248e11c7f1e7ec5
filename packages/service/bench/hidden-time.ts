// How much hidden rows show in the time of an answer. Databases with the same granted rows, of two datasets, and no, as many, or ten times
// as many rows of three other datasets, in the same places and mixed with them. CPU of this process and of the server; medians of rounds in
// which all databases take turns, and their ratio to the database without hidden rows.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/hidden-time.ts [rows] [database] [query]
import { datasetProperty, restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy } from "@cadastre/odata";
import type { StoredRecord, StoredResource, WritableStore } from "@cadastre/store";
import { type BenchDatabase, grantsOf, openBenchDatabases } from "@cadastre/store/testing";
import { listingAt } from "./listing.ts";
import { resources } from "./resources.ts";

const granted = Number(process.argv[2] ?? 5_000);
const [only, named = ""] = process.argv.slice(3);
const rounds = 9;
/** CPU of one measurement, in milliseconds. */
const enough = 30;
const resource = resources.located;
const { entitySet } = resource;
const datasets = Array.from({ length: 5 }, (_, i) => `9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d1${i}`);
const [own, others] = [datasets.slice(0, 2), datasets.slice(2)];

const keyAt = (index: number, hidden: number): string => `K${String(index).padStart(7, "0")}-${hidden}`;

/** The same place and market for each pair of a granted and a hidden row, but other keys. */
function recordAt(index: number, hidden: number): StoredRecord {
  const listing = listingAt(index + hidden * 1_000_003);
  const { City, StateOrProvince, CountyOrParish, PostalCode } = listingAt(index);
  const place = listingAt(index + (hidden > 0 ? 17 : 0));
  const record = {
    ...listing,
    City,
    StateOrProvince,
    CountyOrParish,
    PostalCode,
    ListingKey: keyAt(index, hidden),
    Coordinates: { type: "Point", coordinates: [place["Longitude"], place["Latitude"]] },
  };
  const choice = hidden === 0 ? own : others;
  const datasetId = choice[(index + hidden) % choice.length] ?? null;
  return {
    resource: "Property",
    datasetId,
    record: Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
  };
}

function* recordsWith(times: number): Generator<StoredRecord> {
  for (let index = 0; index < granted; index++)
    for (let hidden = 0; hidden <= times; hidden++) yield recordAt(index, hidden);
}

const city = String(listingAt(0)["City"]);
const { StateOrProvince: state } = listingAt(0);
const distance = `geo.distance(Coordinates,geography'Point(${String(listingAt(0)["Longitude"])} ${String(listingAt(0)["Latitude"])})')`;

type Asked = {
  readonly filter?: string;
  readonly orderBy?: string;
  readonly top?: number;
  readonly count?: true;
};

const queries: Readonly<Record<string, Asked>> = {
  "count of all": { count: true },
  "count of a city": { filter: `City eq '${city}'`, count: true },
  "count of a price": { filter: "ListPrice gt 500000", count: true },
  "count by a field without index": { filter: "YearBuilt eq 1999", count: true },
  "count of a search in remarks": { filter: "contains(PublicRemarks,'no such words')", count: true },
  "first page": { orderBy: "ModificationTimestamp,ListingKey" },
  "page by key": { orderBy: "ListingKey" },
  "page of a city": { filter: `City eq '${city}'`, orderBy: "ModificationTimestamp,ListingKey" },
  "city by price": { filter: `City eq '${city}'`, orderBy: "ListPrice,ListingKey" },
  "page by price, descending": { orderBy: "ListPrice desc,ListingKey" },
  "page by a field without index": { orderBy: "YearBuilt,ListingKey" },
  "changes since": {
    filter: "ModificationTimestamp gt 2026-01-20T00:00:00Z",
    orderBy: "ModificationTimestamp,ListingKey",
  },
  "status and state": {
    filter: `StandardStatus eq 'Closed' and StateOrProvince eq '${String(state)}'`,
    orderBy: "ModificationTimestamp,ListingKey",
  },
  "city in lower case": { filter: `tolower(City) eq '${city.toLowerCase()}'`, count: true },
  "scan for a page": {
    filter: "contains(PublicRemarks,'no such words')",
    orderBy: "ModificationTimestamp,ListingKey",
  },
  "within 5 km": { filter: `${distance} le 5000`, orderBy: "ListingKey", top: 100 },
  "nearest 20": { filter: `${distance} le 20000`, orderBy: `${distance},ListingKey`, top: 20 },
  key: { filter: `ListingKey eq '${keyAt(4711 % granted, 0)}'` },
  "50 keys": {
    filter: `ListingKey in (${Array.from({ length: 50 }, (_, i) => `'${keyAt((i * 97) % granted, 0)}'`).join()})`,
    orderBy: "ListingKey",
  },
  UniversalPropertyId: {
    filter: `UniversalPropertyId eq '${String(listingAt(42)["UniversalPropertyId"])}'`,
    orderBy: "ListingKey",
  },
};

const scopeOf = (ids: readonly string[]): Scope =>
  grantsOf(entitySet, Object.fromEntries(ids.map((id) => [id, "*" as const])));
const [some, everything] = [scopeOf(own), scopeOf(datasets)];

function ask({ filter, orderBy, top = 100 }: Asked, scope: Scope) {
  const parts = {
    top,
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
  };
  return restrict(bindQuery(parts, visibleEntitySet(entitySet, scope)), scope);
}

type Subject = { readonly database: BenchDatabase; readonly store: WritableStore; readonly scope: Scope };

/** Milliseconds of CPU of a query. */
async function cost({ database, store, scope }: Subject, asked: Asked, times: number): Promise<number> {
  const query = ask(asked, scope);
  const start = await database.cpuTime();
  for (let i = 0; i < times; i++) {
    if (asked.count) await store.count(query);
    else (await store.page(query)).release?.();
  }
  return ((await database.cpuTime()) - start) / times;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function filled(
  database: BenchDatabase,
  name: string,
  times: number,
  of: StoredResource,
): Promise<WritableStore> {
  const store = await database.open(name, of);
  const records = [...recordsWith(times)];
  const start = await database.cpuTime();
  await store.commit(records);
  const rate = Math.round((records.length / ((await database.cpuTime()) - start)) * 1000);
  await database.vacuum();
  const bytes = await database.sizeOf(name, of);
  console.log(`${name}: ${records.length} rows, ${rate} a second of CPU, ${(bytes / 2 ** 20).toFixed(1)} MB`);
  return store;
}

async function compare(names: readonly string[], subjects: readonly Subject[]): Promise<void> {
  console.log(`| ${names.join(" | ")} |\n|---|${"--:|".repeat(names.length - 1)}`);
  for (const [name, asked] of Object.entries(queries)) {
    if (!name.includes(named)) continue;
    const runs: number[][] = subjects.map(() => []);
    const counts: number[] = [];
    for (const subject of subjects) {
      await cost(subject, asked, 5);
      counts.push(Math.max(2, Math.round(enough / (await cost(subject, asked, 5)))));
    }
    for (let round = 0; round < rounds; round++)
      for (const [i, subject] of subjects.entries())
        runs[i]?.push(await cost(subject, asked, counts[i] ?? 2));
    const [floor = Number.NaN, ...rest] = runs.map(median);
    const ratios = rest.map((one) => `× ${(one / floor).toFixed(2)}`);
    console.log(`| ${name} | ${floor.toFixed(3)} ms | ${ratios.join(" | ")} |`);
  }
  for (const { store } of subjects) await store.close();
}

/** The resource with indexes that do not have the rows of each dataset apart. */
const withoutDatasets: StoredResource = {
  ...resource,
  indexes: resource.indexes
    .map((columns) => columns.filter((name) => name !== datasetProperty.name))
    .filter((columns) => columns.length > 0 && columns.join() !== entitySet.type.key.join()),
  folded: resource.folded?.map((columns) => columns.filter((name) => name !== datasetProperty.name)) ?? [],
};

async function measure(database: BenchDatabase): Promise<void> {
  const hiding: Subject[] = [];
  for (const times of [0, 1, 10])
    hiding.push({ database, store: await filled(database, `hidden_${times}`, times, resource), scope: some });
  await compare([database.name, "no hidden rows", "1 ×", "10 ×"], hiding);
  const open: Subject[] = [];
  for (const [name, of] of [
    ["without_datasets", withoutDatasets],
    ["by_dataset", resource],
  ] as const)
    open.push({ database, store: await filled(database, name, 1, of), scope: everything });
  await compare([`${database.name}, every dataset`, "indexes without datasets", "by dataset"], open);
}

for (const database of await openBenchDatabases()) {
  if (only === undefined || only === database.name) await measure(database);
  await database.close();
}
