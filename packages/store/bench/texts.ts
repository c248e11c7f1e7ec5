// Cost and use of trigram indexes: rate of a commit and size of a store with and without them, and CPU time of this process and the server
// for searches, in milliseconds, as medians of rounds. One of four remarks has the common word, one of a thousand the rare one. Of the rows
// of the last store, four of five are of a dataset that the customer is not granted.
//   node --conditions=@cadastre/source --import tsx packages/store/bench/texts.ts [rows]
import type { StoredRecord, StoredResource, WritableStore } from "../src/index.ts";
import { openBenchDatabases } from "../src/testing/bench-databases.ts";
import {
  type AskedCottages,
  askCottages,
  cottageRecord,
  cottageScopes,
  cottagesResource,
} from "../test/support/cottages.ts";

const size = Number(process.argv[2] ?? 20_000);
const rounds = 7;

const words = Array.from({ length: 4000 }, (_, i) => {
  let word = "";
  for (let rest = i * 7919 + 97; rest > 0; rest = Math.floor(rest / 21))
    word += "aeiousnrtldmcphgbfvkw"[rest % 21];
  return word;
});

/** Returns a remark of about 300 characters. Most of its words are among the first of the list. */
function remarkAt(index: number): string {
  const chosen = Array.from({ length: 48 }, (_, i) => {
    const random = ((index * 48 + i) * 0.618_033_988_7) % 1;
    return words[Math.floor(words.length * random ** 4)];
  });
  if (index % 4 === 0) chosen[7] = "swimming-pool";
  if (index % 1000 === 3) chosen[11] = "observatory";
  return chosen.join(" ");
}

/** @param hidden number of rows of another dataset for each row */
function* records(hidden: number): Generator<StoredRecord> {
  for (let index = 0; index < size; index++)
    for (let copy = 0; copy <= hidden; copy++) {
      const { record, ...made } = cottageRecord({
        key: `C${String((index * 7919) % size).padStart(7, "0")}-${copy}`,
        dataset: copy === 0 ? 0 : 2,
        rank: index % 50,
        remarks: remarkAt(index),
        street: `${words[index % 900]} Street`,
      });
      yield { ...made, record };
    }
}

const searches: Readonly<Record<string, AskedCottages & { readonly count?: true }>> = {
  "rare word, page of 100": { filter: "contains(Remarks,'observatory')" },
  "rare word in lower case, page of 100": { filter: "contains(tolower(Remarks),'observatory')" },
  "rare word, count": { filter: "contains(Remarks,'observatory')", count: true },
  "common word, page of 100": { filter: "contains(Remarks,'swimming-pool')" },
  "common word, count": { filter: "contains(Remarks,'swimming-pool')", count: true },
  "absent word, page of 100": { filter: "contains(Remarks,'qqq')" },
  "street, page of 100": { filter: `startswith(Street,'${words[500]} S')` },
};

const resources: Readonly<Record<string, StoredResource>> = {
  without: { ...cottagesResource, texts: [] },
  with: cottagesResource,
};

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;

for (const database of await openBenchDatabases()) {
  const stores = new Map<string, WritableStore>();
  const open = async (name: string, resource: StoredResource, hidden: number) => {
    const store = await database.open(name, resource);
    const start = performance.now();
    await store.commit(records(hidden));
    const rate = (size * (hidden + 1) * 1000) / (performance.now() - start);
    const bytes = (await database.sizeOf(name, resource)) / (size * (hidden + 1));
    console.log(`${database.name}, ${name}: ${Math.round(rate)} rows/s, ${Math.round(bytes)} bytes a row`);
    stores.set(name, store);
  };
  for (const [name, resource] of Object.entries(resources)) await open(name, resource, 0);
  await open("with_hidden_rows", cottagesResource, 4);
  await database.vacuum();
  for (const [name, { count, ...asked }] of Object.entries(searches)) {
    const query = askCottages({ ...asked, top: 100 }, cottageScopes.one);
    const costs = [...stores].map(([store]) => [store, [] as number[]] as const);
    for (let round = 0; round < rounds; round++)
      for (const [store, all] of costs) {
        const start = await database.cpuTime();
        const one = stores.get(store);
        for (let i = 0; i < 3; i++) await (count === true ? one?.count(query) : one?.page(query));
        all.push(((await database.cpuTime()) - start) / 3);
      }
    const shown = costs.map(([store, all]) => `${store} ${median(all).toFixed(2)} ms`);
    console.log(`${database.name}, ${name}: ${shown.join(", ")}`);
  }
  for (const store of stores.values()) await store.close();
  await database.close();
}
