import { matches, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ChangeOfKey, changeOf, keys, recordOf } from "../support/histories.ts";
import { ask, everything, oregon, scopeOf, texas } from "../support/listings.ts";
import { type Harness, openEmpty } from "./harness.ts";

/** Prices near each other, and some that are not. */
const price = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(90, 99.99, 100, 100.01, 105, 110) },
  { weight: 1, arbitrary: fc.constantFrom(-100, 0, 0.07, 1e12) },
);
const low = fc.tuple(fc.constantFrom("ge", "gt"), price);
const high = fc.tuple(fc.constantFrom("le", "lt"), price);
const bounds = fc.oneof(
  fc.tuple(low),
  fc.tuple(high),
  fc.tuple(high, low),
  fc.array(fc.oneof(low, high), { maxLength: 3 }),
);
const others = ["City eq 'Bend'", "BedroomsTotal ge 1", "YearBuilt le 2010", "contains(City,'n')"];
const other = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.subarray(others, { maxLength: 2 }) },
);
const filter = fc
  .tuple(bounds, other)
  .map(([of, rest]) => [...of.map(([is, than]) => `ListPrice ${is} ${than}`), ...rest].join(" and "))
  .map((text) => text || "true");

const change: fc.Arbitrary<ChangeOfKey> = fc.record({
  key: fc.constantFrom(...keys),
  values: fc.option(
    fc.record({
      City: fc.constantFrom(null, "Austin", "Bend"),
      ListPrice: fc.option(price),
      BedroomsTotal: fc.constantFrom(null, 0, 2),
      YearBuilt: fc.constantFrom(null, 1999, 2020),
    }),
    { nil: undefined },
  ),
});

const scopes = {
  everything,
  "no price": scopeOf({ [texas]: ["ListingKey", "City", "BedroomsTotal"], [oregon]: "*" }),
  "another state": scopeOf({ [texas]: "*", [oregon]: "*" }, "OR"),
};

const scope = fc.oneof(
  { weight: 3, arbitrary: fc.constant(scopes.everything) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(scopes)) },
);

const many = fc.record({ commit: fc.array(change, { minLength: 40, maxLength: 60 }) });
const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ commit: fc.array(change, { minLength: 1, maxLength: 15 }) }) },
    {
      weight: 8,
      arbitrary: fc.record({ filter, scope, page: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ prune: true }) },
  ),
  { minLength: 10, maxLength: 40 },
);

/** Counts of current records, asked for again and again. */
export function counts(harness: Harness): void {
  test("a count is the number of records that match, whatever was counted before and has changed since", async () => {
    const store = await openEmpty(harness);
    await fc.assert(
      fc.asyncProperty(many, steps, async (first, further) => {
        await store.commit(keys.map((one) => ({ resource: "Property", datasetId: texas, removed: [one] })));
        const present = new Map<string, Row>();
        for (const step of [first, ...further]) {
          if ("commit" in step) {
            const made = [...new Map(step.commit.map((one) => [one.key, one])).values()];
            await store.commit(made.map(changeOf));
            for (const { key, values } of made) {
              if (values === undefined) present.delete(key);
              else present.set(key, recordOf(key, values).record);
            }
          } else if ("prune" in step) await store.prune(Date.now() + 60_000);
          else {
            let query: ReturnType<typeof ask>;
            try {
              query = ask({ filter: step.filter, top: 1 }, step.scope);
            } catch {
              // The scope hides a field of the filter.
              continue;
            }
            const expected = [...present.values()].filter((row) =>
              matches(query.filter, { ...row, DatasetId: texas }),
            ).length;
            const found = step.page
              ? (await store.page(query, { count: true })).count
              : await store.count(query);
            expect(found, step.filter).toBe(expected);
          }
        }
      }),
      { numRuns: Number(process.env["CASES"] ?? 20) },
    );
    await store.close();
  });

  test("counts of many records within ranges near each other are those of each range", async () => {
    const store = await openEmpty(harness);
    const size = 12_000;
    await store.commit(Array.from({ length: size }, (_, i) => recordOf(`m${i}`, { ListPrice: 1000 + i })));
    const count = (text: string) => store.count(ask({ filter: text }));
    for (const low of [900, 1100, 1000, 1099.5]) {
      expect(await count(`ListPrice ge ${low}`)).toBe(size - Math.max(0, Math.ceil(low) - 1000));
      for (const most of [12_000, 11_500, 12_500]) {
        const expected = most - Math.max(1000, Math.ceil(low)) + 1;
        expect(await count(`ListPrice le ${most} and ListPrice ge ${low}`), `${low} to ${most}`).toBe(
          expected,
        );
      }
    }
    await store.commit([recordOf("m0", { ListPrice: 5000 }), changeOf({ key: "m9", values: undefined })]);
    expect(await count("ListPrice gt 999")).toBe(size - 1);
    expect(await count("ListPrice gt 1000")).toBe(size - 1);
    expect(await count("ListPrice le 12500")).toBe(11_500);
    await store.close();
  });
}
