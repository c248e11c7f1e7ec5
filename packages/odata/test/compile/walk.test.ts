import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundQuery,
  bindQuery,
  cachedCompiler,
  compareRows,
  type EntitySet,
  type PrimitiveType,
  parseOrderBy,
  parseSelect,
  type Row,
  tableMapping,
} from "../../src/index.ts";
import { openDatabases } from "../support/databases.ts";

/** `ROWS=200000` for a walk of 2,000 pages, and what its first and last pages cost. */
const rowCount = Number(process.env["ROWS"] ?? 5000);
const top = 100;

const property = (name: string, type: PrimitiveType, nullable = true) =>
  [name, { name, type, collection: false, nullable }] as const;

const walks: EntitySet = {
  name: "Walks",
  type: {
    name: "Walk",
    key: ["Id"],
    properties: new Map([
      property("Id", "Edm.Int32", false),
      property("Town", "Edm.String"),
      property("Price", "Edm.Int64"),
      property("Changed", "Edm.DateTimeOffset", false),
    ]),
  },
};

const towns = [null, "", "York", "O'Fallon", "\uffee", "😀"];

/** Few towns and a third of the prices null; in an order that has nothing to do with the keys. */
const rows: readonly Row[] = Array.from({ length: rowCount }, (_, i) => {
  const mixed = (i * 7919) % rowCount;
  return {
    Id: mixed,
    Town: towns[i % towns.length],
    Price: i % 3 === 0 ? null : (i * 31) % 97,
    Changed: new Date(Date.UTC(2024, 0, 1) + ((i * 13) % 1000) * 1000).toISOString(),
  };
});

const orders = [
  "Price",
  "Price desc",
  "Town,Price desc",
  "Town desc,Price",
  "Changed desc,Price",
  "Price mul -1",
];

const databases = await openDatabases();
for (const { dialect, fill, execute } of databases) {
  await fill(walks, rows);
  const nulls = dialect.name === "postgres" ? "nulls first" : "";
  await execute(`create index "walk_order" on "Walks" ("Price" ${nulls}, "Id")`);
  await execute("analyze");
}
afterAll(() => Promise.all(databases.map((database) => database.close())));

const ofPage = (text: string): BoundQuery =>
  bindQuery({ orderBy: parseOrderBy(text), select: parseSelect("Id"), top }, walks);

describe.each(databases)("on $dialect.name", ({ dialect, run }) => {
  const { page } = cachedCompiler(dialect, tableMapping(walks.name), { order: true });

  test.each(orders)(
    "a walk by %s meets every row once",
    { timeout: 60_000 + 10 * rowCount },
    async (text) => {
      const query = ofPage(text);
      const expected = rows.toSorted((a, b) => compareRows(query.orderBy, a, b)).map(({ Id }) => Id);
      const walked: number[] = [];
      const times: number[] = [];
      let after: BoundQuery["after"] = null;
      do {
        const start = performance.now();
        const found = await run(page({ ...query, after }));
        times.push(performance.now() - start);
        walked.push(...found.map(([id]) => Number(id)));
        after = found.length < top ? null : (found.at(-1)?.slice(1) ?? null);
      } while (after !== null);
      expect(walked).toEqual(expected);
      if (rowCount > 5000) report(`${dialect.name}, ${text}`, times);
    },
  );
});

/** Medians of pages at the start and at the end of a walk, in milliseconds. The very first one prepares. */
function report(name: string, times: readonly number[]): void {
  const median = (some: readonly number[]) => some.toSorted((a, b) => a - b)[some.length >> 1] ?? 0;
  const [first, last] = [median(times.slice(1, 101)), median(times.slice(-101, -1))];
  console.log(`${name}: ${first.toFixed(2)} ms, ${last.toFixed(2)} ms, ${(last / first).toFixed(2)} times`);
}
