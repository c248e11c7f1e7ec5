import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bindFilter, compareRows, matches, parseFilter, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Page } from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import {
  type Asked,
  ask,
  everything,
  listings,
  oregon,
  records,
  scopeOf,
  stored,
  texas,
} from "./support/listings.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-store-"));
const store = openSqliteStore({ file: join(folder, "test.sqlite"), resources: [stored] });
store.load(records);
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const keys = async (asked: Asked, scope = everything) =>
  (await store.page(ask(asked, scope))).rows.map((row) => row["ListingKey"]);

describe("a page", () => {
  test("holds exactly the selected properties, nulls and empty collections written out", async () => {
    const { rows, after } = await store.page(
      ask({ select: "City,ListPrice,Appliances,PoolYN", filter: "ListingKey eq 'c'" }),
    );
    expect(rows).toEqual([{ City: null, ListPrice: null, PoolYN: null, Appliances: [] }]);
    expect(after).toBeNull();
  });

  test.each([
    [{ filter: "City eq 'O''Fallon'" }, ["b"]],
    [{ filter: "ListPrice gt 0.069 and ListPrice lt 0.071" }, ["b"]],
    [{ filter: "TaxAnnualAmount eq 0.07" }, ["a"]],
    [{ filter: "TaxAnnualAmount eq 0.071" }, []],
    [{ filter: "PoolYN" }, ["b"]],
    [{ filter: "not PoolYN" }, ["d"]],
    [{ filter: "PoolYN eq null" }, ["a", "c", "e", "f"]],
    [{ filter: "OffMarketDate eq 2024-02-29" }, ["c"]],
    [{ filter: "StatusChangeTimestamp gt 2024-05-01T10:00:00.1229Z" }, ["e"]],
    [{ filter: "YearBuilt in (1999,2020)" }, ["c", "f"]],
    [{ filter: "Appliances/any(a:a eq 'Range')" }, ["f"]],
    [{ filter: "not Appliances/any()" }, ["b", "c", "d", "e"]],
    [{ orderBy: "TaxAnnualAmount desc", top: 2 }, ["b", "a"]],
    [{ skip: 4 }, ["e", "f"]],
    [{ top: 0 }, []],
  ])("of %j is %j", async (asked, expected) => {
    expect(await keys(asked)).toEqual(expected);
  });

  test("tells where the next one starts, unless it is the last", async () => {
    const first = await store.page(ask({ orderBy: "City", top: 4 }));
    expect(first.rows).toHaveLength(4);
    const second = await store.page(ask({ orderBy: "City", top: 4, after: first.after ?? [] }));
    expect(second.rows.map((row) => row["ListingKey"])).toEqual(["b", "f"]);
    expect(second.after).toBeNull();
  });

  test("that ends exactly at the last row has no next one", async () => {
    expect((await store.page(ask({ top: 6 }))).after).toBeNull();
  });
});

describe("restriction", () => {
  test.each([
    ["one dataset", scopeOf({ [oregon]: "*" }), ["d", "e", "f"]],
    ["one state", scopeOf({ [texas]: "*", [oregon]: "*" }, "OR"), ["d", "e"]],
    ["no row of the state", scopeOf({ [texas]: "*" }, "OR"), []],
  ])("to %s holds for pages and counts", async (_name, scope, expected) => {
    expect(await keys({}, scope)).toEqual(expected);
    expect(await store.count(ask({}, scope))).toBe(expected.length);
  });

  const partly = scopeOf({ [texas]: ["City", "ListPrice"], [oregon]: ["City"] });

  test("makes a field null where its dataset does not show it: in the answer, the filter and the order", async () => {
    const { rows } = await store.page(ask({ select: "ListingKey,ListPrice" }, partly));
    expect(rows.map((row) => row["ListPrice"])).toEqual([350_000.5, 0.07, null, null, null, null]);
    expect(await keys({ filter: "ListPrice gt 400000" }, partly)).toEqual([]);
    expect(await keys({ filter: "ListPrice eq null" }, partly)).toEqual(["c", "d", "e", "f"]);
    expect(await keys({ orderBy: "ListPrice desc" }, partly)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("gives one and the same nothing for a hidden and an absent record", async () => {
    const scope = scopeOf({ [oregon]: "*" });
    expect(await store.one(ask({ filter: "ListingKey eq 'a'" }, scope))).toBeUndefined();
    expect(await store.one(ask({ filter: "ListingKey eq 'zzz'" }, scope))).toBeUndefined();
    expect(await store.one(ask({ filter: "ListingKey eq 'd'", select: "City" }, scope))).toEqual({
      City: "Bend",
    });
  });
});

describe("columns and JSON members", () => {
  const comparison = fc
    .tuple(
      fc.constantFrom(...[...listings.type.properties.values()].filter(({ collection }) => !collection)),
      fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
      fc.constantFrom(...records),
    )
    .map(([{ name, type }, comparator, { record }]) => {
      const json = JSON.stringify(record[name] ?? null);
      const quoted = `'${json.slice(1, -1).replaceAll("'", "''")}'`;
      const literal = json === "null" || type !== "Edm.String" ? json.replaceAll('"', "") : quoted;
      return `${name} ${comparator} ${literal}`;
    });
  const filters = fc.oneof(
    comparison,
    comparison.map((text) => `not (${text})`),
  );

  test("give the rows that evaluation in memory gives", async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const bound = bindFilter(parseFilter(filter), listings);
        const expected = records
          .filter(({ record }) => matches(bound, record))
          .map(({ record }) => record["ListingKey"]);
        expect(await keys({ filter }), filter).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test("sort as evaluation in memory sorts", async () => {
    for (const { name, collection } of listings.type.properties.values()) {
      if (collection) continue;
      for (const direction of ["asc", "desc"]) {
        const asked = ask({ orderBy: `${name} ${direction}` });
        const sorted = records
          .map(({ record }) => record)
          .toSorted((a, b) => compareRows(asked.orderBy, a, b));
        expect(await keys({ orderBy: `${name} ${direction}` })).toEqual(
          sorted.map((row) => row["ListingKey"]),
        );
      }
    }
  });
});

describe("a number", () => {
  /** A store of its own, with one listing for each set of values; the keys are `0000`, `0001` and so on. */
  const storeOf = (rows: readonly Row[]) => {
    const numbers = openSqliteStore({ file: ":memory:", resources: [stored] });
    const loaded = numbers.load(
      rows.map((values, i) => ({
        resource: "Property",
        datasetId: texas,
        record: { ...records[0]?.record, ListingKey: keyOf(i), ...values },
      })),
    );
    expect(loaded).toBe(rows.length);
    return numbers;
  };
  const keyOf = (i: number) => String(i).padStart(4, "0");
  const keysOf = ({ rows }: Page) => rows.map((row) => row["ListingKey"]);

  test("of scale 2 in the record is the one that was written, though its double times 100 is not whole", async () => {
    const numbers = storeOf(
      [0.29, 0.57, 0.58, 1.15, 4.35, 8.2].map((TaxAnnualAmount) => ({ TaxAnnualAmount })),
    );
    for (const [i, text] of ["0.29", "0.57", "0.58", "1.15", "4.35", "8.2"].entries()) {
      const found = await numbers.page(ask({ filter: `TaxAnnualAmount eq ${text}` }));
      expect(keysOf(found), text).toEqual([keyOf(i)]);
      expect(await numbers.count(ask({ filter: `TaxAnnualAmount lt ${text}` })), text).toBe(i);
    }
    await numbers.close();
  });

  test("of scale 2 in the record equals and compares exactly, to the cent", async () => {
    const cents = fc.uniqueArray(fc.integer({ min: -(10 ** 14) + 1, max: 10 ** 14 - 1 }), {
      minLength: 1000,
      maxLength: 1000,
    });
    const textOf = (amount: number) => {
      const digits = String(Math.abs(amount)).padStart(3, "0");
      return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
    };
    await fc.assert(
      fc.asyncProperty(cents, async (amounts) => {
        const numbers = storeOf(amounts.map((amount) => ({ TaxAnnualAmount: Number(textOf(amount)) })));
        const sorted = amounts
          .map((amount, i) => ({ amount, key: keyOf(i) }))
          .toSorted((a, b) => a.amount - b.amount);
        const all = await numbers.page(ask({ orderBy: "TaxAnnualAmount", top: 1000 }));
        expect(keysOf(all)).toEqual(sorted.map(({ key }) => key));
        for (const [below, { amount, key }] of sorted.entries()) {
          const text = textOf(amount);
          expect(keysOf(await numbers.page(ask({ filter: `TaxAnnualAmount eq ${text}` }))), text).toEqual([
            key,
          ]);
          if (below % 100 === 0)
            expect(await numbers.count(ask({ filter: `TaxAnnualAmount lt ${text}` })), text).toBe(below);
        }
        await numbers.close();
      }),
      // To shrink a thousand amounts takes long, and the sentence of the failure names one.
      { numRuns: 1, endOnFailure: true },
    );
  });

  test("beyond 2^53 orders a walk that meets every record once", async () => {
    const first = 2n ** 53n;
    const walked = storeOf([0n, 1n, 2n, 3n].map((i) => ({ BedroomsTotal: String(first + i) })));
    const met: unknown[] = [];
    let after: readonly unknown[] | null = [];
    while (after !== null && met.length < 8) {
      const start: readonly unknown[] = after;
      const page: Page = await walked.page(
        ask({ orderBy: "BedroomsTotal", top: 1, ...(start.length === 0 ? {} : { after: start }) }),
      );
      met.push(...keysOf(page));
      after = page.after;
    }
    expect(met).toEqual([0, 1, 2, 3].map(keyOf));
    await walked.close();
  });
});

describe("plans", () => {
  test.each([
    [{ filter: "ListingKey eq 'a'" }, /USING INDEX sqlite_autoindex_Property_1/],
    [{ filter: "City eq 'Bend'" }, /USING INDEX Property_City/],
    [{ filter: "ListPrice ge 100000", orderBy: "ListPrice" }, /USING INDEX Property_ListPrice_ListingKey/],
    [{ orderBy: "ModificationTimestamp" }, /USING INDEX Property_ModificationTimestamp_ListingKey/],
    [
      { orderBy: "ModificationTimestamp", after: ["2024-05-01T10:00:00.000Z", "c"] },
      /USING INDEX Property_ModificationTimestamp/,
    ],
  ])("%j reads by an index and sorts nothing", (asked, index) => {
    const plan = store.explain(ask(asked)).join("\n");
    expect(plan).toMatch(index);
    if ("orderBy" in asked) expect(plan).not.toMatch(/TEMP B-TREE/);
  });
});

describe("loading", () => {
  test("is all or nothing: a bad record leaves the others out too", async () => {
    const bad = [
      {
        resource: "Property",
        datasetId: texas,
        record: { ListingKey: "y", ModificationTimestamp: "2024-05-01T10:00:00.000Z" },
      },
      {
        resource: "Property",
        datasetId: texas,
        record: { ListingKey: "z", ModificationTimestamp: "yesterday" },
      },
    ];
    expect(() => store.load(bad)).toThrowError("ModificationTimestamp is not a valid Edm.DateTimeOffset");
    expect(await store.count(ask({}))).toBe(records.length);
  });

  test("is refused for a resource that is not stored", () => {
    expect(() => store.load([{ resource: "Media", datasetId: texas, record: {} }])).toThrowError(
      "Media is not stored here",
    );
  });

  test("replaces a record of a known key", async () => {
    const [first] = records;
    if (first === undefined) throw new Error("no records");
    expect(store.load([first])).toBe(1);
    expect(await store.count(ask({}))).toBe(records.length);
  });
});

test("notes are kept with the file", () => {
  expect(store.notes.get("seed")).toBeUndefined();
  store.notes.set("seed", "1");
  store.notes.set("seed", "2");
  expect(store.notes.get("seed")).toBe("2");
});
