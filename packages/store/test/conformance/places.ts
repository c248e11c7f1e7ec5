import { compareRows, evaluate, matches, type Row } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import type { Position } from "@cadastre/odata/tree";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bookmark, Page, WritableStore } from "../../src/index.ts";
import {
  type AskedHomes,
  askHomes,
  type Home,
  homeRecord,
  homeRemoval,
  homesResource,
  scopes,
} from "../support/homes.ts";
import { type Harness, rowsOf, withEmpty } from "./harness.ts";

/** Poles, the antimeridian from both sides, a turn too many, and what is no place on earth. */
const marks: readonly Position[] = [
  [12, 90],
  [-70, -90],
  [180, 10],
  [-180, -10],
  [179.99, 0.5],
  [-179.99, -0.5],
  [262.26, 30.27],
  [-97.74, 30.3],
  [0, 0],
  [0, 91],
];

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const near = fc.tuple(degrees(0.05), degrees(0.05)).map(([x, y]): Position => [-97.7 + x, 30.25 + y]);
const anywhere = fc.tuple(degrees(180), degrees(90));
const place: fc.Arbitrary<Position | null> = fc.oneof(
  { weight: 3, arbitrary: near },
  anywhere,
  fc.constantFrom(...marks),
  fc.constant(null),
);

const keys = Array.from({ length: 24 }, (_, i) => `k${String(i).padStart(2, "0")}`);
const home: fc.Arbitrary<Home> = fc.record({
  key: fc.constantFrom(...keys),
  isOther: fc.boolean(),
  rank: fc.constantFrom(null, 0, 1),
  place,
});
const homes = fc.uniqueArray(home, { selector: ({ key }) => key, minLength: 4, maxLength: 24 });

const centres = ["-97.7 30.25", "179.999 0", "-180 -10", "0 90", "33 -89.9", "0 0"] as const;
const distanceFrom = (centre: string) => `geo.distance(Place,geography'Point(${centre})')`;
const centre = fc.constantFrom(...centres);

const searches = fc.oneof(
  fc
    .tuple(centre, fc.constantFrom("le", "lt", "gt", "ge"), fc.constantFrom(0, 3000, 200_000, 9_000_000, 3e7))
    .map(([from, comparator, metres]) => `${distanceFrom(from)} ${comparator} ${metres}`),
  fc.constantFrom(
    "Place eq null",
    "Place ne null",
    `${distanceFrom("0 0")} eq null`,
    `not (${distanceFrom("-97.7 30.25")} lt 4000)`,
    "geo.intersects(Place,geography'Polygon((-97.72 30.23,-97.68 30.23,-97.68 30.28,-97.72 30.28,-97.72 30.23))')",
    "geo.intersects(Place,geography'Polygon((170 -20,-170 -20,-170 20,170 20,170 -20))')",
    "geo.intersects(Place,geography'Polygon((0 80,90 80,180 80,-90 80,0 80))')",
  ),
);

const scopeName = fc.constantFrom("all", "partly");

/** The row as restriction reads it. */
const rowOf = (one: Home): Row => {
  const { datasetId, record } = homeRecord(one);
  return { ...record, DatasetId: datasetId };
};

const keysOf = (page: Page) => rowsOf(page).map((row) => row["HomeKey"]);

/** The keys in memory, in order. */
function expected(rows: readonly Row[], asked: AskedHomes, scope: keyof typeof scopes): readonly unknown[] {
  const { filter, orderBy } = askHomes(asked, scopes[scope]);
  return rows
    .filter((row) => matches(filter, row))
    .toSorted((a, b) => compareRows(orderBy, a, b))
    .map((row) => row["HomeKey"]);
}

/** Whether no two places are so nearly as far that the engines' last digits tell their order. */
function isClear(rows: readonly Row[], orderBy: string): boolean {
  const expression = askHomes({ orderBy }).orderBy[0]?.expression;
  if (expression === undefined) return false;
  const far = [
    ...new Map(rows.map((row) => [JSON.stringify(row["Place"]), evaluate(expression, row)])).values(),
  ]
    .filter((metres) => metres !== null)
    .map(Number)
    .toSorted((a, b) => a - b);
  return far.every((metres, i) => i === 0 || metres - (far[i - 1] ?? 0) > 0.01);
}

const numRuns = Number(process.env["CASES"] ?? 3);

async function replaceAll(store: WritableStore, made: readonly Home[]): Promise<void> {
  const kept = new Map(made.map(({ key, isOther = false }) => [key, isOther]));
  const gone = [false, true].flatMap((isOther) =>
    keys.filter((key) => kept.get(key) !== isOther).map((key) => homeRemoval(key, isOther)),
  );
  await store.commit([...gone, ...made.map(homeRecord)]);
}

/** Points and texts that an index finds. */
export function places(harness: Harness): void {
  const resources = [homesResource];

  describe("places", () => {
    test("that a filter finds are those of memory, whatever is written, moved and removed", () =>
      withEmpty(
        harness,
        (store) =>
          fc.assert(
            fc.asyncProperty(
              homes,
              fc.array(searches, { minLength: 3, maxLength: 3 }),
              scopeName,
              async (made, filters, scope) => {
                await replaceAll(store, made);
                for (const filter of filters) {
                  const page = await store.page(askHomes({ filter }, scopes[scope]), { count: true });
                  const keysInMemory = expected(made.map(rowOf), { filter }, scope);
                  expect(keysOf(page), filter).toEqual(keysInMemory);
                  expect(page.count).toBe(keysInMemory.length);
                }
              },
            ),
            { numRuns },
          ),
        { resources },
      ));

    const walk = fc.record({
      made: homes,
      later: homes,
      from: centre,
      order: fc.constantFrom("", ",Rank desc", ",HomeKey desc", " desc"),
      filter: fc.option(searches, { nil: undefined }),
      top: fc.integer({ min: 1, max: 7 }),
      skip: fc.integer({ min: 0, max: 9 }),
      scope: scopeName,
    });

    test("from the nearest on come in the order of memory, page by page, as they were at the first", () =>
      withEmpty(
        harness,
        (store) =>
          fc.assert(
            fc.asyncProperty(walk, async ({ made, later, from, order, filter, top, skip, scope }) => {
              const orderBy = distanceFrom(from) + order;
              const rows = made.map(rowOf);
              fc.pre(isClear(rows, orderBy));
              await replaceAll(store, made);
              const asked = { orderBy, filter, top, skip };
              const all = expected(rows, asked, scope);
              const first = await store.page(askHomes(asked, scopes[scope]));
              expect(keysOf(first)).toEqual(all.slice(skip, skip + top));
              // A record that is removed meanwhile, or moved to another dataset, is not met any more.
              const recordOf = ({ key, isOther = false }: Home) => `${key} ${isOther}`;
              const present = new Set(later.map(recordOf));
              const left = new Set(made.filter((one) => present.has(recordOf(one))).map(({ key }) => key));
              await replaceAll(store, later);
              const rest = all.slice(skip + top).filter((key) => left.has(String(key)));
              const met: unknown[] = [];
              let next: Bookmark | null = first.next;
              while (next !== null) {
                const page: Page = await store.page(askHomes({ ...asked, skip: 0 }, scopes[scope]), {
                  from: next,
                });
                met.push(...keysOf(page));
                next = page.next;
              }
              expect(met).toEqual(rest);
            }),
            { numRuns },
          ),
        { resources },
      ));

    test("that a dataset does not show are found by no search, and sort as none", () =>
      withEmpty(
        harness,
        async (store) => {
          await store.commit([
            homeRecord({ key: "far", place: [-90, 30] }),
            homeRecord({ key: "hidden", isOther: true, place: [-97.7, 30.25] }),
            homeRecord({ key: "near", place: [-97.7, 30.25] }),
          ]);
          const here = distanceFrom("-97.7 30.25");
          const read = async (asked: AskedHomes) => keysOf(await store.page(askHomes(asked, scopes.partly)));
          expect(await read({ filter: `${here} le 5000` })).toEqual(["near"]);
          expect(await read({ filter: `${here} eq null` })).toEqual(["hidden"]);
          expect(await read({ filter: `not (${here} le 5000)` })).toEqual(["far", "hidden"]);
          expect(await read({ orderBy: here })).toEqual(["hidden", "near", "far"]);
          expect(await read({ orderBy: here, skip: 1, top: 1 })).toEqual(["near"]);
        },
        { resources },
      ));

    test("are found a turn away as well", () =>
      withEmpty(
        harness,
        async (store) => {
          await store.commit([
            homeRecord({ key: "a", place: [262.3, 30.25] }),
            homeRecord({ key: "b", place: [-457.7, 30.25] }),
            homeRecord({ key: "c", place: [62.3, 30.25] }),
          ]);
          const filter = `${distanceFrom("-97.7 30.25")} le 10`;
          expect(keysOf(await store.page(askHomes({ filter })))).toEqual(["a", "b"]);
        },
        { resources },
      ));

    test("come from the nearest on with what the query computes, and with a count", () =>
      withEmpty(
        harness,
        async (store) => {
          const town = (key: string, place: Position) => homeRecord({ key, town: key.toUpperCase(), place });
          await store.commit([town("c", [2, 0]), town("a", [1, 0]), town("b", [0.001, 0])]);
          const query = askHomes({ orderBy: distanceFrom("0 0"), top: 2 });
          const [distance] = query.orderBy;
          if (distance === undefined) throw new Error("no order");
          const metres = { name: "Metres", type: "Edm.Double", collection: false, nullable: true } as const;
          const select = [...query.select, { property: metres, expression: distance.expression }];
          const page = await store.page(Object.assign(query, { select }), { count: true });
          expect(rowsOf(page).map(({ HomeKey, Metres }) => [HomeKey, Math.round(Number(Metres))])).toEqual([
            ["b", 111],
            ["a", 111_319],
          ]);
          expect(page.count).toBe(3);
          expect(codecOf("Edm.Double").fromJson(rowsOf(page)[0]?.["Metres"])).toBeGreaterThan(111);
        },
        { resources },
      ));

    test("are found in a store whose index is new", async () => {
      const plain = { ...homesResource, points: [], folded: [] };
      const before = await harness.open("unplaced", { resources: [plain] });
      const many = Array.from({ length: 50 }, (_, i) =>
        homeRecord({ key: `h${i}`, town: `Town ${i}`, place: i % 2 === 0 ? null : [i, i] }),
      );
      await before.commit(many);
      await before.close();
      const after = await harness.open("unplaced", { resources });
      const read = async (asked: AskedHomes) => keysOf(await after.page(askHomes(asked)));
      expect(await read({ filter: `${distanceFrom("7 7")} lt 1` })).toEqual(["h7"]);
      expect(await read({ filter: `${distanceFrom("7 7")} eq null`, top: 2 })).toEqual(["h0", "h10"]);
      expect(await read({ filter: "Town eq 'TOWN 3'", ignoreCase: true })).toEqual(["h3"]);
      await after.commit([homeRecord({ key: "h7", place: [8, 8] })]);
      expect(await read({ filter: `${distanceFrom("7 7")} lt 1` })).toEqual([]);
      await after.close();
    });
  });

  test("texts without regard to case are those of memory", () =>
    withEmpty(
      harness,
      async (store) => {
        const towns = ["Bend", "BEND", "bender", "Straße", "STRASSE", "", "İzmir", "\u{10FFFF}", null];
        const made = towns.map((town, i): Home => ({ key: keys[i] ?? "", town, rank: i, place: null }));
        await store.commit(made.map(homeRecord));
        for (const filter of [
          "Town eq 'bEND'",
          "Town ne 'bEND'",
          "startswith(Town,'bEN')",
          "Town in ('STRAßE','')",
          "startswith(Town,'\u{10FFFF}')",
        ]) {
          const asked = { filter, ignoreCase: true };
          expect(keysOf(await store.page(askHomes(asked))), filter).toEqual(
            expected(made.map(rowOf), asked, "all"),
          );
        }
      },
      { resources },
    ));
}
