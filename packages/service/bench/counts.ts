// Cost of counts for frequent filters: CPU time of this process and the server in milliseconds, medians of rounds, with the indexes of the catalog and
// with those of `narrow`, which have no bedrooms in the index of status and price.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/counts.ts [rows]
import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter } from "@cadastre/odata";
import type { StoredRecord, StoredResource, WritableStore } from "@cadastre/store";
import { grantsOf, openBenchDatabases } from "@cadastre/store/testing";
import { listingAt } from "./listing.ts";
import { resources } from "./resources.ts";

const size = Number(process.argv[2] ?? 20_000);
const rounds = 9;
const dataset = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
const { listings } = resources;
const bedrooms = "BedroomsTotal";

const variants: Readonly<Record<string, StoredResource>> = {
  narrow: {
    ...listings,
    texts: [],
    indexes: listings.indexes.map((columns) =>
      columns[1] === "StandardStatus" ? columns.filter((name) => name !== bedrooms) : columns,
    ),
  },
  stored: { ...listings, texts: [] },
};

function* records(): Generator<StoredRecord> {
  for (let index = 0; index < size; index++)
    yield { resource: "Property", datasetId: dataset, record: listingAt(index) };
}

const filters = [
  "true",
  "StandardStatus eq 'Active'",
  "StandardStatus eq 'Active' and ListPrice ge 300000 and ListPrice le 600000",
  "StandardStatus eq 'Active' and ListPrice ge 300000 and BedroomsTotal ge 3",
  `City eq '${String(listingAt(0)["City"])}'`,
];

const scope = grantsOf(listings.entitySet, { [dataset]: "*" }, { like: "Member" });
const ask = (filter: string) =>
  restrict(
    bindQuery({ filter: parseFilter(filter), top: 0 }, visibleEntitySet(listings.entitySet, scope)),
    scope,
  );
const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;

for (const database of await openBenchDatabases()) {
  const stores: [string, WritableStore][] = [];
  for (const [name, resource] of Object.entries(variants)) {
    const store = await database.open(name, resource);
    await store.commit(records());
    const bytes = (await database.sizeOf(name, resource)) / size;
    console.log(`${database.name}, ${name}: ${Math.round(bytes)} bytes a row`);
    stores.push([name, store]);
  }
  await database.vacuum();
  for (const filter of filters) {
    const query = ask(filter);
    const shown: string[] = [];
    for (const [name, store] of stores) {
      const costs: number[] = [];
      let found = 0;
      for (let round = 0; round < rounds; round++) {
        const start = await database.cpuTime();
        for (let i = 0; i < 5; i++) found = await store.count(query);
        costs.push(((await database.cpuTime()) - start) / 5);
      }
      shown.push(`${name} ${median(costs).toFixed(2)} ms (${found})`);
    }
    console.log(`${database.name}, ${filter}: ${shown.join(", ")}`);
  }
  for (const [, store] of stores) await store.close();
  await database.close();
}
