import type { RestrictedQuery } from "@cadastre/entitlement";
import { evaluate, matches } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RegionValues } from "../../src/coverage/coverage.ts";
import { type CoverageGroup, type GroupKey, groupRow } from "../../src/coverage/group.ts";
import { unitsOf } from "../../src/coverage/unit.ts";
import { coverageWithin } from "../../src/coverage/within.ts";
import { writeMemberIndex } from "../../src/record/member-index.ts";
import { numberMembers } from "../../src/record/members.ts";
import {
  askScope,
  counted,
  counties,
  datasets,
  grants,
  places,
  regions,
  scopeIn,
  states,
  zips,
} from "../support/covered.ts";
import { basisOf, isExplained } from "../support/echelon.ts";
import { listings, texas } from "../support/listings.ts";

/*
 * Whoever has every answer, of every market and to every customer, tries to come to a group of fewer records than are
 * counted together.
 */

const least = 5;
const { members } = numberMembers(listings.type, []);

const key = fc
  .tuple(
    fc.constantFrom(...datasets),
    fc.constantFrom("mls", "board"),
    fc.constantFrom("Lone Star", "Cascade"),
    fc.constantFrom(...states),
    fc.constantFrom(...counties),
    fc.constantFrom(...zips),
  )
  .map((one): GroupKey => one);

/** Atoms of which each but the last few is small. */
const groups: fc.Arbitrary<readonly CoverageGroup[]> = fc
  .uniqueArray(key, { minLength: 1, maxLength: 14, selector: (one) => JSON.stringify(one) })
  .chain((keys) =>
    fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: fc.integer({ min: 1, max: least }) },
          fc.integer({ min: 1, max: 20 }),
        ),
        {
          minLength: keys.length,
          maxLength: keys.length,
        },
      )
      .map((counts) => keys.map((one, i) => ({ key: one, records: counts[i] ?? 1, populated: "" }))),
  );

/** A place as a scope shows it. */
type Question = { readonly query: RestrictedQuery; readonly place: RegionValues };

/** Every one that customers with these grants may ask. */
const questionsOf = (granted: (typeof grants)[number]): readonly Question[] =>
  regions.flatMap((within) => {
    const query = askScope(scopeIn(granted, within));
    return places.map((place) => ({ query, place }));
  });

/** Every one that there is. */
const questions: readonly Question[] = grants.flatMap(questionsOf);

const [whole = {}, oregonAlone = {}, ...partial] = grants;
const zipMasked = grants[3] ?? {};

/** Questions of customers who are shown the same places. */
const alike: readonly (readonly Question[])[] = [
  [...questionsOf(whole), ...questionsOf(oregonAlone)],
  ...partial.map(questionsOf),
];

const buildOf = (groups: readonly CoverageGroup[]) => ({
  counted,
  members,
  groups,
  unitsAt: (depth: number) => unitsOf(groups, counted, least, depth),
});

const answerTo = ({ query, place }: Question, all: readonly CoverageGroup[]) =>
  coverageWithin(query, buildOf(all)).count(place);

/** Whether the question is about the records of an group. */
function isAbout({ query, place }: Question, { key: atomKey }: CoverageGroup): boolean {
  const row = groupRow(atomKey, counted);
  const shownOf = (column: string): unknown => {
    const shown = query.select.find(({ property }) => property.name === column);
    return shown === undefined ? null : evaluate(shown.expression, row);
  };
  return (
    matches(query.filter, row) &&
    Object.entries(place).every(([column, value]) => String(shownOf(column)).startsWith(value))
  );
}

/** The records that an answer is about, by source and system, as a number for each group: none of it, or all. */
function truths(
  all: readonly CoverageGroup[],
  questions: readonly Question[],
): readonly (readonly number[])[] {
  const groups = [...new Set(all.map(({ key: [, source, system] }) => JSON.stringify([source, system])))];
  const found = questions.flatMap((question) => {
    const shown = all.map((group) => isAbout(question, group));
    return groups.map((group) =>
      all.map(({ key: [, source, system] }, i) =>
        Number(shown[i] === true && JSON.stringify([source, system]) === group),
      ),
    );
  });
  return distinct(found);
}

/** Which groups each answer counts: told by giving the records of one group at a time a value that no others have. */
function answers(
  all: readonly CoverageGroup[],
  questions: readonly Question[],
): readonly (readonly number[])[] {
  const marks = [...members.values()].map(({ ordinal }) => ordinal);
  const vectors = questions.flatMap((question) => {
    const columns = all.map((_, marked) => {
      const some = all.map((group, i) => ({
        ...group,
        populated:
          i === marked
            ? writeMemberIndex(
                marks,
                marks.map(() => group.records),
              )
            : "",
      }));
      return answerTo(question, some).flatMap(({ fields }) =>
        fields.map(({ populated }) => populated / (all[marked]?.records ?? 1)),
      );
    });
    return (columns[0] ?? []).map((_, cell) => columns.map((column) => column[cell] ?? 0));
  });
  return distinct(vectors);
}

const distinct = (vectors: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  [...new Set(vectors.map((vector) => vector.join()))].map((text) => text.split(",").map(Number));

const recordsIn = (vector: readonly number[], all: readonly CoverageGroup[]): number =>
  vector.reduce((sum, part, i) => sum + part * (all[i]?.records ?? 0), 0);

test("no sum or difference of answers, of all customers who see the same places, is a cell of too few records", () => {
  fc.assert(
    fc.property(groups, fc.constantFrom(...alike), (all, asked) => {
      const basis = basisOf(answers(all, asked));
      for (const truth of truths(all, asked)) {
        const records = recordsIn(truth, all);
        if (records === 0 || records >= least) continue;
        expect(isExplained(truth, basis)).toBe(false);
      }
    }),
    { numRuns: Number(process.env["CASES"] ?? 40) },
  );
}, 120_000);

/** What somebody is asked who is granted everything, everywhere. */
const wholes: readonly Question[] = places
  .filter(({ PostalCode }) => PostalCode === undefined)
  .map((place) => ({ query: askScope(scopeIn(grants[0] ?? {}, regions[0] ?? [])), place }));

test("who sees all of a market misses fewer records of each dataset than are counted together", () => {
  fc.assert(
    fc.property(groups, (all) => {
      for (const question of wholes)
        for (const { source, system, fields } of answerTo(question, all)) {
          const asked = all.filter(
            (group) => group.key[1] === source && group.key[2] === system && isAbout(question, group),
          );
          const there = asked.reduce((sum, { records }) => sum + records, 0);
          for (const { records } of fields) {
            expect(records === 0 || records >= least).toBe(true);
            expect(there - records).toBeGreaterThanOrEqual(0);
            expect(there - records).toBeLessThan(least * datasets.length);
          }
        }
    }),
    { numRuns: Number(process.env["CASES"] ?? 60) },
  );
}, 120_000);

test("records that a question does not find change nothing of its answer", () => {
  fc.assert(
    fc.property(groups, fc.constantFrom(...questions), (all, question) => {
      const found = all.filter((group) => isAbout(question, group));
      expect(answerTo(question, found)).toEqual(answerTo(question, all));
    }),
    { numRuns: Number(process.env["CASES"] ?? 3000) },
  );
}, 120_000);

/** The same records elsewhere, by what of their places a customer does not see. */
const rezoned = (
  all: readonly CoverageGroup[],
  zipsOf: readonly (string | null)[],
): readonly CoverageGroup[] => {
  const moved = all.map(({ key, ...group }, i): CoverageGroup => {
    const [dataset, source, system, state, county] = key;
    if (dataset !== texas) return { key, ...group };
    return { ...group, key: [dataset, source, system, state ?? null, county ?? null, zipsOf[i] ?? null] };
  });
  const groups = new Map<string, CoverageGroup>();
  for (const group of moved) {
    const text = JSON.stringify(group.key);
    groups.set(text, { ...group, records: group.records + (groups.get(text)?.records ?? 0) });
  }
  return [...groups.values()];
};

/** Questions of customers to whom no ZIP code is granted: there what is seen tells it. */
const unzoned: readonly Question[] = regions
  .filter((within) => within.every(({ kind }) => kind !== "zip"))
  .flatMap((within) => {
    const query = askScope(scopeIn(zipMasked, within));
    return places.map((place) => ({ query, place }));
  });

test("a masked ZIP code changes nothing of an answer", () => {
  const zipsOf = fc.array(fc.constantFrom(...zips), { minLength: 14, maxLength: 14 });
  fc.assert(
    fc.property(groups, zipsOf, fc.constantFrom(...unzoned), (all, moved, question) => {
      expect(answerTo(question, rezoned(all, moved))).toEqual(answerTo(question, all));
    }),
    { numRuns: Number(process.env["CASES"] ?? 2000) },
  );
}, 120_000);

test("it leaves the answers about a nation, a state and a county, which miss no more than they do without a mask", () => {
  let counts = 0;
  fc.assert(
    fc.property(groups, (all) => {
      const texan = all.filter(({ key: [dataset] }) => dataset === texas);
      const query = askScope(scopeIn(zipMasked, regions[0] ?? []));
      for (const place of places.filter(({ PostalCode }) => PostalCode === undefined)) {
        const asked = texan.filter((group) => isAbout({ query, place }, group));
        for (const { source, system, fields } of answerTo({ query, place }, texan)) {
          const there = asked
            .filter(({ key }) => key[1] === source && key[2] === system)
            .reduce((sum, { records }) => sum + records, 0);
          for (const { records } of fields) {
            if (records > 0) counts++;
            expect(records === 0 || records >= least).toBe(true);
            expect(there - records).toBeLessThan(least);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(counts).toBeGreaterThan(100);
}, 120_000);
