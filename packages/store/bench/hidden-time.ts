// How much hidden rows show in the time of an answer. Databases with the same granted rows, of two datasets, and no, as many, or ten times
// as many rows of three other datasets, in the same places and mixed with them. CPU of this process and of the server; medians of rounds in
// which all databases take turns, and their ratio to the database without hidden rows.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/hidden-time.ts [rows] [database]
import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy } from "@cadastre/odata";
import pg from "pg";
import { type Listing, listingAt } from "../../service/bench/listing.ts";
import { resources } from "../../service/bench/resources.ts";
import { scopeOptions } from "../../service/src/catalog.ts";
import type { StoredRecord, WritableStore } from "../src/index.ts";
import { grantsOf } from "../test/support/grants.ts";
import { cpu } from "./cpu.ts";
import { type BenchDatabase, openDatabases } from "./databases.ts";

const granted = Number(process.argv[2] ?? 5_000);
const only = process.argv[3];
const rounds = 9;
/** CPU of one measurement, in milliseconds. */
const enough = 30;
const resource = resources.located;
const { entitySet } = resource;
const datasets = [...(scopeOptions.datasets ?? [])];
const [own, others] = [datasets.slice(0, 2), datasets.slice(2)];

const keyAt = (index: number, hidden: number): string => `K${String(index).padStart(7, "0")}-${hidden}`;

/** The same place and market for each pair of a granted and a hidden row, but other keys. */
function recordAt(index: number, hidden: number): StoredRecord {
  const { Longitude, Latitude, ...listing }: Listing = listingAt(index + hidden * 1_000_003);
  const { City, StateOrProvince, CountyOrParish, PostalCode } = listingAt(index);
  const place = listingAt(index + (hidden > 0 ? 17 : 0));
  const record = {
    ...listing,
    ...{ City, StateOrProvince, CountyOrParish, PostalCode },
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

const scope = grantsOf(entitySet, Object.fromEntries(own.map((id) => [id, "*" as const])));

function ask({ filter, orderBy, top = 100 }: Asked) {
  const parts = {
    top,
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
  };
  return restrict(bindQuery(parts, visibleEntitySet(entitySet, scope)), scope);
}

type Subject = { readonly database: BenchDatabase; readonly store: WritableStore };

/** Milliseconds of CPU of a query. */
async function cost({ database, store }: Subject, asked: Asked, times: number): Promise<number> {
  const query = ask(asked);
  const start = await cpu(database);
  for (let i = 0; i < times; i++) {
    if (asked.count) await store.count(query);
    else (await store.page(query)).release?.();
  }
  return ((await cpu(database)) - start) / times;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** As autovacuum does before long: index-only scans need it. */
async function vacuum({ name, place }: BenchDatabase): Promise<void> {
  if (name !== "PostgreSQL") return;
  const client = new pg.Client({ connectionString: place("") });
  await client.connect();
  await client.query("vacuum");
  await client.end();
}

async function measure(database: BenchDatabase): Promise<void> {
  const subjects: Subject[] = [];
  for (const times of [0, 1, 10]) {
    const store = await database.open(`hidden_${times}`);
    const start = performance.now();
    await store.commit(recordsWith(times));
    await vacuum(database);
    const rows = granted * (times + 1);
    console.log(
      `${rows} rows written at ${Math.round((rows / (performance.now() - start)) * 1000)} a second`,
    );
    subjects.push({ database, store });
  }
  console.log(`| ${database.name} | rows | no hidden rows | 1 × | 10 × |\n|---|--:|--:|--:|--:|`);
  for (const [name, asked] of Object.entries(queries)) {
    const found = asked.count
      ? await subjects[0]?.store.count(ask(asked))
      : (await subjects[0]?.store.page(ask(asked)))?.length;
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
    console.log(
      `| ${name} | ${found} | ${floor.toFixed(3)} ms | ${rest.map((one) => `× ${(one / floor).toFixed(2)}`).join(" | ")} |`,
    );
  }
  for (const { store } of subjects) await store.close();
}

for (const database of await openDatabases(resource)) {
  if (only === undefined || only === database.name) await measure(database);
  await database.close();
}
