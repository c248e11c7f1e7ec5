// Cost of a spatial search in the SQLite store as the table grows while the number of hits is constant: 1,000 homes are within 5
// km of a place, one of a hundred has no place, and the others are spread over a country. Prints the CPU time of this process in
// milliseconds per page, as the median of rounds that alternate between the two sizes.
//   node --conditions=@cadastre/source --import tsx packages/store/bench/places.ts [rows rows]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredRecord, WritableStore } from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { type AskedHomes, askHomes, homeRecord, homesResource } from "../test/support/homes.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000];
const rounds = 7;
const hits = 1000;
const [longitude, latitude] = [-97.74, 30.27];
const distance = `geo.distance(Place,geography'Point(${longitude} ${latitude})')`;

const searches: Readonly<Record<string, AskedHomes>> = {
  "within 5 km": { filter: `${distance} le 5000`, top: 1000 },
  "within 5 km, 100 of them": { filter: `${distance} le 5000`, top: 100 },
  "within 5 km, nearest 20": { filter: `${distance} le 5000`, orderBy: distance, top: 20 },
  "nearest 20": { filter: "Place ne null", orderBy: distance, top: 20 },
  "a town without regard to case": { filter: "Town eq 'TOWN 7'", ignoreCase: true, top: 100 },
};

/** Returns evenly spread numbers from 0 to 1. */
const spread = (i: number, step: number): number => (i * step) % 1;

function* homes(size: number): Generator<StoredRecord> {
  for (let i = 0; i < size; i++) {
    const isNear = i % (size / hits) === 0;
    const [x, y] = [spread(i, Math.SQRT2), spread(i, Math.sqrt(3))];
    const near = [longitude + (x - 0.5) * 0.06, latitude + (y - 0.5) * 0.06] as const;
    const far = [-124 + x * 20, 32 + y * 16] as const;
    const place = isNear ? near : i % 100 === 1 ? null : far;
    yield homeRecord({ key: `home-${i}`, rank: i % 9, town: `Town ${i % (size / 100)}`, place });
  }
}

const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-"));
const stores: WritableStore[] = [];
for (const size of sizes) {
  const file = join(folder, `${size}.sqlite`);
  const store = await openSqliteStore({ file, resources: [homesResource], threads: 0, timeout: 60_000 });
  const start = performance.now();
  await store.commit(homes(size));
  console.log(`${size} homes written at ${Math.round((size / (performance.now() - start)) * 1000)} a second`);
  stores.push(store);
}

async function cost(store: WritableStore, asked: AskedHomes): Promise<number> {
  const query = askHomes(asked);
  const start = process.cpuUsage();
  let pages = 0;
  let used = 0;
  for (; used < 200; pages++) {
    await store.page(query);
    const { user, system } = process.cpuUsage(start);
    used = (user + system) / 1000;
  }
  return used / pages;
}

console.log(`| search | rows | ${sizes.join(" | ")} | ratio |\n|---|--:|--:|--:|--:|`);
for (const [name, asked] of Object.entries(searches)) {
  const times = stores.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, store] of stores.entries()) times[i]?.push(await cost(store, asked));
  const medians = times.map((all) => all.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN);
  const lengths = new Set<number>();
  for (const store of stores) lengths.add((await store.page(askHomes(asked))).length);
  const ratio = (medians[1] ?? 0) / (medians[0] ?? 1);
  console.log(
    `| ${name} | ${[...lengths].join()} | ${medians.map((one) => one.toFixed(2)).join(" | ")} | ${ratio.toFixed(2)} |`,
  );
}
for (const store of stores) await store.close();
rmSync(folder, { recursive: true });
