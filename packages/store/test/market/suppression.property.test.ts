import fc from "fast-check";
import { expect, test } from "vitest";
import { basisOf, isExplained } from "../support/echelon.ts";
import { published, type Shown, shownTo, truths } from "../support/report-model.ts";
import { type Asker, listings, regionSets, whole } from "../support/reported.ts";

/*
 * Whoever has the reports of every customer who sees the same fields tries to come to a count that is too small to be told, of the
 * same population and month: what two months differ by is what has come and gone between them.
 * The model says which listings a figure is of; that reports are the model's is a test of every store.
 */

const least = 3;

const askers: readonly Asker[] = regionSets.flatMap((regions) =>
  [
    [whole, whole],
    [whole, null],
    [null, whole],
  ].map((grants) => ({ grants, regions })),
);

const everyone: Asker = { grants: [whole, whole], regions: [{ kind: "national", value: "US" }] };

test("no sum or difference of figures, of all customers, is a count that is too small", () => {
  let tried = 0;
  fc.assert(
    fc.property(listings, (all) => {
      const keyOf = ({ system, place, type, dataset }: Shown) =>
        JSON.stringify([dataset, system, type, place]);
      const shown = shownTo(everyone, all);
      const reports = askers.map((asker) => [...published(asker, all, least)]);
      for (const member of new Set(shown.flatMap((listing) => listing.member))) {
        const members = shown.filter((listing) => listing.member.includes(member));
        // Listings that nothing tells apart count as one: a figure is of all of them or of none.
        const kinds = [...new Set(members.map(keyOf))];
        const vectorOf = (set: readonly Shown[]) => {
          const held = new Set(set.map(keyOf));
          return kinds.map((kind) => Number(held.has(kind)));
        };
        const sets = reports.flat().flatMap(([key, set]) => (key.startsWith(`${member} `) ? [set] : []));
        for (const set of sets) expect(set.length).toBeGreaterThanOrEqual(least);
        const basis = basisOf(sets.map(vectorOf));
        for (const truth of truths(shown, member)) {
          if (truth.length >= least) continue;
          tried++;
          expect(isExplained(vectorOf(truth), basis)).toBe(false);
        }
      }
    }),
    { numRuns: Number(process.env["CASES"] ?? 25) },
  );
  expect(tried).toBeGreaterThan(100);
}, 120_000);
