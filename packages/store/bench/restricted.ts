// Cost of restriction: pages restricted to a scope compared with the same pages without any restriction, and on PostgreSQL also
// behind a wall. Prints the CPU time of this process and the server, as medians of rounds that alternate between the variants.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/restricted.ts [rows] [database]
import { type Entitlement, type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy } from "@cadastre/odata";
import pg from "pg";
import type { StoredRecord, WritableStore } from "../src/index.ts";
import { type BenchDatabase, openBenchDatabases } from "../src/testing/bench-databases.ts";
import { grantsOf, visibilityRuleOf } from "../src/testing/grants.ts";
import { entitySet, recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 100_000);
const only = process.argv[3];
const rounds = 9;
/** Approximate CPU time of one measurement in milliseconds. */
const enough = 60;

const datasets = [
  "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
  "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732",
] as const;
const states = ["TX", "OR", "NV"] as const;

const records: readonly StoredRecord[] = recordsOf(count).map((one, i) => ({
  ...one,
  datasetId: datasets[i % 3] ?? datasets[0],
  record: { ...one.record, StateOrProvince: states[(i >> 2) % 3] },
}));

type Asked = { readonly filter?: string; readonly orderBy?: string; readonly top?: number };

const queries: Readonly<Record<string, Asked>> = {
  key: { filter: "ListingKey eq 'key-4711'" },
  "50 keys": {
    filter: `ListingKey in (${Array.from({ length: 50 }, (_, i) => `'key-${i * 97}'`).join()})`,
  },
  "system and listing id": { filter: "OriginatingSystemName eq 'System 1' and ListingId eq 'L4711'" },
  UniversalPropertyId: { filter: `UniversalPropertyId eq 'US-${(4711 * 7919) % 1_000_003}-4711'` },
  "page by modification": { orderBy: "ModificationTimestamp" },
  "changes since": {
    filter: "ModificationTimestamp gt 2024-01-20T00:00:00Z",
    orderBy: "ModificationTimestamp",
  },
  "status, by price": { filter: "StandardStatus eq 'Active'", orderBy: "ListPrice" },
  "status and price": {
    filter: "StandardStatus eq 'Active' and ListPrice ge 500000 and ListPrice le 501000",
  },
  "city, by price": { filter: "City eq 'City 77'", orderBy: "ListPrice desc" },
  "zip and price": { filter: "PostalCode eq '75100' and ListPrice lt 600000" },
  "page of 1,000": { orderBy: "ListingKey", top: 1000 },
};

const regionsOf = (...values: readonly string[]): Entitlement["regions"] =>
  values.map((value) => ({ kind: "state", value }));
const grants = (...ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, "*" as const]));

const scopes = {
  national: grantsOf(entitySet, grants(...datasets), { like: "Property" }),
  "all states": grantsOf(entitySet, grants(...datasets), { like: "Property", regions: regionsOf(...states) }),
  part: grantsOf(entitySet, grants(datasets[0], datasets[1]), {
    like: "Property",
    regions: regionsOf("TX", "OR"),
  }),
} as const;

function ask({ filter, orderBy, top = 100 }: Asked, scope: keyof typeof scopes | "bare"): RestrictedQuery {
  const parts = {
    top,
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
  };
  // A benchmark only: the cast makes an unrestricted query, to measure its cost as the baseline.
  if (scope === "bare") return bindQuery(parts, entitySet) as RestrictedQuery;
  return restrict(bindQuery(parts, visibleEntitySet(entitySet, scopes[scope])), scopes[scope]);
}

type Variant = {
  readonly name: string;
  readonly store: WritableStore;
  readonly scope: keyof typeof scopes | "bare";
};

/** Returns the CPU time of a page in milliseconds. */
async function cost({ store }: Variant, query: RestrictedQuery, database: BenchDatabase, times: number) {
  const start = await database.cpuTime();
  for (let i = 0; i < times; i++) (await store.page(query)).release?.();
  return ((await database.cpuTime()) - start) / times;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function measure(database: BenchDatabase): Promise<void> {
  const open = await database.open("restricted", resource);
  await open.commit(records);
  const variants: Variant[] = (["bare", "national", "all states", "part"] as const).map((scope) => ({
    name: scope,
    store: open,
    scope,
  }));
  const opened = [open];
  if (database.name === "PostgreSQL") {
    for (const barrier of [false, true]) {
      const role = "bench_reader";
      if (!barrier) await createRole(database, role);
      // A schema can have only one wall, so the second store has the same tables in another schema.
      const name = barrier ? "barred" : "walled";
      const store = await database.open(name, resource, {
        role,
        barrier,
        rules: { Listing: visibilityRuleOf("Property") },
      });
      await store.commit(records);
      opened.push(store);
      variants.push({
        name: barrier ? "all states, barrier" : "all states, wall",
        store,
        scope: "all states",
      });
    }
  }
  console.log(`| ${database.name} | ${variants.map(({ name }) => name).join(" | ")} |`);
  console.log(`|---|${"--:|".repeat(variants.length)}`);
  const rows = Object.entries(queries).map(([name, asked]) => ({
    name,
    runs: variants.map((variant) => ({
      variant,
      query: ask(asked, variant.scope),
      times: [] as number[],
    })),
  }));
  // Warms up the JIT compiler first. Otherwise the first row would be slower than the others.
  for (const { runs } of rows)
    for (const { variant, query } of runs) await cost(variant, query, database, 1000);
  for (const { name, runs } of rows) {
    const counts = new Map<Variant, number>();
    for (const { variant, query } of runs) {
      const once = await cost(variant, query, database, 20);
      counts.set(variant, Math.max(3, Math.round(enough / once)));
    }
    for (let round = 0; round < rounds; round++)
      for (const { variant, query, times } of runs)
        times.push(await cost(variant, query, database, counts.get(variant) ?? 3));
    const [floor = Number.NaN, ...others] = runs.map((one) => median(one.times));
    console.log(
      `| ${name} | ${floor.toFixed(3)} ms | ${others.map((one) => `× ${(one / floor).toFixed(2)}`).join(" | ")} |`,
    );
  }
  for (const store of opened) await store.close();
}

async function createRole({ place }: BenchDatabase, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: place("") });
  await client.connect();
  await client.query(`create role ${role}`);
  await client.end();
}

for (const database of await openBenchDatabases()) {
  if (only === undefined || only === database.name) await measure(database);
  await database.close();
}
