// Walks through all pages, checks that each record is read once, and compares the cost of the last page with the first.
//   node --conditions=@cadastre/source --import tsx packages/store/bench/walk.ts [rows] [database] [order]
import type { Bookmark, WritableStore } from "../src/index.ts";
import { openBenchDatabases } from "../src/testing/bench-databases.ts";
import { pageBy, recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 200_000);
const only = process.argv[3];
const repeats = 100;
const orders =
  process.argv[4] === undefined
    ? [
        "ListingKey",
        "ModificationTimestamp",
        "City",
        "City desc",
        "CloseDate desc",
        "StandardStatus,ListPrice desc",
      ]
    : [process.argv[4]];

async function walk(
  store: WritableStore,
  orderBy: string,
): Promise<{ readonly pages: number; readonly last: Bookmark | undefined }> {
  const query = pageBy(orderBy, "ListingKey");
  const met = new Set<unknown>();
  let last: Bookmark | undefined;
  let from: Bookmark | null | undefined;
  let pages = 0;
  let twice = 0;
  for (; from !== null; pages++) {
    const page = await store.page(query, { from });
    for (const { ListingKey } of JSON.parse(`[${Buffer.from(page.records).toString()}]`)) {
      if (met.has(ListingKey)) twice++;
      met.add(ListingKey);
    }
    last = from ?? last;
    from = page.next;
  }
  if (met.size !== count || twice > 0)
    throw new Error(`${orderBy}: ${count - met.size} records lost, ${twice} met twice`);
  return { pages, last };
}

for (const database of await openBenchDatabases()) {
  if (only !== undefined && database.name !== only) {
    await database.close();
    continue;
  }
  const store = await database.open("walk", resource);
  await store.commit(recordsOf(count));
  /** Returns the CPU time of one page in milliseconds. */
  const cost = async (orderBy: string, from: Bookmark | undefined): Promise<number> => {
    const query = pageBy(orderBy);
    for (let i = 0; i < 10; i++) await store.page(query, { from });
    const start = await database.cpuTime();
    for (let i = 0; i < repeats; i++) await store.page(query, { from });
    return ((await database.cpuTime()) - start) / repeats;
  };
  for (const orderBy of orders) {
    const start = performance.now();
    const { pages, last } = await walk(store, orderBy);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const [first, end] = [await cost(orderBy, undefined), await cost(orderBy, last)];
    console.log(
      `${database.name}, ${orderBy}: ${pages} pages in ${seconds} s, every record once; ` +
        `CPU of page 1 ${first.toFixed(2)} ms, of page ${pages} ${end.toFixed(2)} ms (${(end / first).toFixed(2)} x)`,
    );
  }
  await store.close();
  await database.close();
}
