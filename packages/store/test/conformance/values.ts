import { bindFilter, compareRows, matches, parseFilter, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, StoredRecord, WritableStore } from "../../src/index.ts";
import { ask, listings, records, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, readKeys, withEmpty } from "./harness.ts";

const keyOf = (i: number) => String(i).padStart(4, "0");

/** A listing for each set of values; the keys are `0000`, `0001` and so on. */
const listingsOf = (rows: readonly Row[]): readonly StoredRecord[] =>
  rows.map((values, i) => ({
    resource: "Property",
    datasetId: texas,
    record: { ...records[0]?.record, ListingKey: keyOf(i), ...values },
  }));

const singles = [...listings.type.properties.values()].filter(({ collection }) => !collection);

const comparison = fc
  .tuple(
    fc.constantFrom(...singles),
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

/** Columns and members of the JSON text hold the same values, exactly. */
export function values(harness: Harness): void {
  describe("columns and JSON members", () => {
    let store: WritableStore;
    beforeAll(async () => {
      store = await openEmpty(harness);
      await store.commit(records);
    });
    afterAll(() => store.close());

    test("give the rows that evaluation in memory gives", async () => {
      await fc.assert(
        fc.asyncProperty(filters, async (filter) => {
          const bound = bindFilter(parseFilter(filter), listings);
          const expected = records
            .filter(({ record }) => matches(bound, record))
            .map(({ record }) => record["ListingKey"]);
          expect(await readKeys(store, { filter }), filter).toEqual(expected);
        }),
        { numRuns: Number(process.env["CASES"] ?? 15) * 5 },
      );
    });

    test("sort as evaluation in memory sorts", async () => {
      for (const { name } of singles) {
        for (const orderBy of [`${name} asc`, `${name} desc`]) {
          const sorted = records
            .map(({ record }) => record)
            .toSorted((a, b) => compareRows(ask({ orderBy }).orderBy, a, b));
          expect(await readKeys(store, { orderBy }), orderBy).toEqual(sorted.map((row) => row["ListingKey"]));
        }
      }
    });
  });

  describe("a number", () => {
    test("of scale 2 in the record is the one that was written, though its double times 100 is not whole", () =>
      withEmpty(harness, async (store) => {
        const amounts = [0.29, 0.57, 0.58, 1.15, 4.35, 8.2];
        await store.commit(listingsOf(amounts.map((TaxAnnualAmount) => ({ TaxAnnualAmount }))));
        for (const [i, amount] of amounts.entries()) {
          const text = String(amount);
          expect(await readKeys(store, { filter: `TaxAnnualAmount eq ${text}` }), text).toEqual([keyOf(i)]);
          expect(await store.count(ask({ filter: `TaxAnnualAmount lt ${text}` })), text).toBe(i);
        }
      }));

    test("of scale 2 in the record equals and compares exactly, to the cent", async () => {
      const cents = fc.uniqueArray(fc.integer({ min: -(10 ** 14) + 1, max: 10 ** 14 - 1 }), {
        minLength: 200,
        maxLength: 200,
      });
      const textOf = (amount: number) => {
        const digits = String(Math.abs(amount)).padStart(3, "0");
        return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
      };
      await fc.assert(
        fc.asyncProperty(cents, (amounts) =>
          withEmpty(harness, async (store) => {
            await store.commit(
              listingsOf(amounts.map((amount) => ({ TaxAnnualAmount: Number(textOf(amount)) }))),
            );
            const sorted = amounts
              .map((amount, i) => ({ amount, key: keyOf(i) }))
              .toSorted((a, b) => a.amount - b.amount);
            const all = await readKeys(store, { orderBy: "TaxAnnualAmount", top: 1000 });
            expect(all).toEqual(sorted.map(({ key }) => key));
            for (const [below, { amount, key }] of sorted.entries()) {
              const text = textOf(amount);
              expect(await readKeys(store, { filter: `TaxAnnualAmount eq ${text}` }), text).toEqual([key]);
              if (below % 20 !== 0) continue;
              expect(await store.count(ask({ filter: `TaxAnnualAmount lt ${text}` })), text).toBe(below);
            }
          }),
        ),
        // To shrink hundreds of amounts takes long, and the sentence of the failure names one.
        { numRuns: 1, endOnFailure: true },
      );
    });

    test("beyond 2^53 orders a walk that meets every record once", () =>
      withEmpty(harness, async (store) => {
        const first = 2n ** 53n;
        await store.commit(
          listingsOf(
            [0n, 1n, 2n, 3n].map((i) => ({ BedroomsTotal: i % 2n === 0n ? first + i : String(first + i) })),
          ),
        );
        const met: unknown[] = [];
        let from: Bookmark | null | undefined;
        while (from !== null && met.length < 8) {
          const page = await store.page(ask({ orderBy: "BedroomsTotal", top: 1 }), { from });
          met.push(...keysOf(page));
          from = page.next;
        }
        expect(met).toEqual([0, 1, 2, 3].map(keyOf));
      }));
  });

  describe("a record whose values no database holds is refused, and nothing of its commit stays", () => {
    let store: WritableStore;
    beforeAll(async () => {
      store = await openEmpty(harness);
    });
    afterAll(() => store.close());

    test.each([
      ["U+0000", { City: "a\0b" }],
      ["half of a surrogate pair", { PostalCode: "\ud83d" }],
      ["half of a surrogate pair in a collection", { Appliances: ["\udc00"] }],
      ["the year 0", { OffMarketDate: "0000-05-01" }],
      ["a year of five digits", { CloseDate: "12024-05-01" }],
      ["an instant before the year 1", { StatusChangeTimestamp: "0001-01-01T00:00:00+01:00" }],
      ["an integer of 65 bits", { YearBuilt: 2 ** 64 }],
      ["a fraction for an integer", { BedroomsTotal: 1.5 }],
      ["no key", { ListingKey: null }],
      ["a member that the type does not have", { Colour: "red" }],
      ["null for a text's collection", { Appliances: "Oven" }],
    ])("%s", async (_what, values) => {
      const bad = listingsOf([{ City: "Austin" }, values]);
      await expect(store.commit(bad)).rejects.toMatchObject({ name: "StoreError", code: "invalid_record" });
      expect(await store.count(ask())).toBe(0);
      expect(await store.checkpoint()).toBe(0);
    });
  });

  test("whatever a commit takes can be read, filtered and sorted by", () =>
    withEmpty(harness, async (store) => {
      const extreme: readonly Row[] = [
        { ListPrice: 1e12, TaxAnnualAmount: 999_999_999_999.99, YearBuilt: 2n ** 63n - 1n },
        { BedroomsTotal: -(2n ** 63n), TaxAnnualAmount: -0.01, ListPrice: -0 },
        {
          CloseDate: "0001-01-01",
          OffMarketDate: "9999-12-31",
          StatusChangeTimestamp: "0001-01-01T00:00:00Z",
        },
        {
          StatusChangeTimestamp: "2024-05-01T12:00:00.1239+02:00",
          City: "",
          PostalCode: "\\u0000 \u2028 '\"",
        },
      ];
      await store.commit(listingsOf(extreme));
      for (const { name } of singles) {
        expect(await readKeys(store, { orderBy: name }), name).toHaveLength(extreme.length);
        expect(await store.count(ask({ filter: `${name} eq ${name}` })), name).toBe(extreme.length);
      }
      const asked = { filter: "StatusChangeTimestamp eq 2024-05-01T10:00:00.123Z" };
      expect(await readKeys(store, asked)).toEqual(["0003"]);
    }));
}
