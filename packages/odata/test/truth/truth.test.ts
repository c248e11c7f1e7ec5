import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundQuery,
  bindQuery,
  compareRows,
  compilePage,
  matches,
  parseFilter,
  parseOrderBy,
  parseSelect,
  tableMapping,
} from "../../src/index.ts";
import { openDatabases } from "../support/databases.ts";
import { filters } from "./filters.ts";
import { allHomes, homes, toJson } from "./homes.ts";
import { orders } from "./orders.ts";

const databases = await openDatabases();
const rows = allHomes.map(toJson);
for (const database of databases) await database.fill(homes, rows);
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** Keys of the homes that answer a query, in its order. */
const engines: Readonly<Record<string, (query: BoundQuery) => Promise<readonly number[]>>> = {
  memory: async ({ filter, orderBy }) =>
    rows
      .filter((row) => matches(filter, row))
      .toSorted((a, b) => compareRows(orderBy, a, b))
      .map(({ Key }) => Number(Key)),
  ...Object.fromEntries(
    databases.map(({ dialect, run }) => [
      dialect.name,
      async (query: BoundQuery) =>
        (await run(compilePage(query, dialect, tableMapping(homes.name)))).map(([key]) => Number(key)),
    ]),
  ),
};

const select = parseSelect("Key");
const top = allHomes.length;

describe.each(Object.entries(engines))("%s", (_, keys) => {
  for (const [topic, table] of Object.entries(filters)) {
    test.each(table)(`answers ${topic}: %s`, async (text, truth) => {
      const query = bindQuery({ filter: parseFilter(text), select, top }, homes);
      expect(await keys(query)).toEqual(allHomes.filter(truth).map(({ Key }) => Key));
    });
  }

  test.each(orders)("orders by %s", async (text, order) => {
    const query = bindQuery({ orderBy: parseOrderBy(text), select, top }, homes);
    expect(await keys(query)).toEqual(allHomes.toSorted(order).map(({ Key }) => Key));
  });
});

test("the table has at least a hundred filters, and few that answer nothing or everything", () => {
  const sizes = Object.values(filters)
    .flat()
    .map(([, truth]) => allHomes.filter(truth).length);
  expect(sizes.length).toBeGreaterThanOrEqual(100);
  expect(sizes.filter((size) => size > 0 && size < top).length).toBeGreaterThan(0.85 * sizes.length);
});
