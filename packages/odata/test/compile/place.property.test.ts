import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { nearestPhases } from "../../src/compile/index.ts";
import {
  type BoundNode,
  bindFilter,
  bindQuery,
  compareRows,
  matches,
  parseFilter,
  parseOrderBy,
} from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { mapChildren, type Position } from "../../src/tree/index.ts";
import { home, homes, keysOf, openPostgresPlaces, openSqlitePlaces, type Places } from "../support/places.ts";

/** Places that are dense round some centres and repeat; the poles, the antimeridian, and rows without a place. */
const centres: readonly Position[] = [
  [-97.74, 30.27],
  [180, 10],
  [-180, -17],
  [0, 90],
  [25, -90],
  [0, 0],
];
const offsets = [0, 0.001, -0.004, 0.02, -0.3, 2, -11];
const around = centres.flatMap(([x = 0, y = 0]) =>
  offsets.flatMap((dx) =>
    offsets.map(
      (dy): Position => [
        x + dx > 180 ? x + dx - 360 : x + dx < -180 ? x + dx + 360 : x + dx,
        Math.max(-90, Math.min(90, y + dy)),
      ],
    ),
  ),
);
const rows = [...around, null, null, [0, 91], [5, -95], null, [262.265, 30.27], [-190, 10], [540, -17]].map(
  (place, i) => home(i + 1, place),
);

const open: readonly Places[] = [
  openSqlitePlaces(rows),
  ...(hasPostgres ? [await openPostgresPlaces(rows)] : []),
];
if (!hasPostgres) console.warn("PostgreSQL is left out: no server is installed");

afterAll(async () => {
  for (const places of open) await places.close();
});

const numRuns = Number(process.env["CASES"] ?? 6);
const options = { timeout: 120_000 + numRuns * 400 };

const degree = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.constantFrom(...centres.map((centre) => centre[limit === 90 ? 1 : 0] ?? 0)),
  );
const place = fc.oneof(
  fc.constantFrom(...around),
  fc.tuple(degree(180), degree(90)).map(([x, y]): Position => [x, y]),
);
const shown = (position: Position): string =>
  position.map((one) => one.toFixed(6).replace(/^-(0\.0*)$/, "$1")).join(" ");
const point = fc
  .oneof({ arbitrary: place, weight: 9 }, fc.constant<Position>([0, 91]))
  .map((position) => `geography'Point(${shown(position)})'`);
const distance = fc
  .tuple(point, fc.boolean())
  .map(([at, swapped]) => (swapped ? `geo.distance(${at},Place)` : `geo.distance(Place,${at})`));
const metres = fc.oneof(
  fc.constantFrom("0", "-1", "INF", "1e7", "19999999"),
  fc.double({ min: 1, max: 7.3, noNaN: true }).map((power) => (10 ** power).toFixed(1)),
);
const polygon = fc
  .tuple(place, fc.constantFrom(0.002, 0.5, 5, 40), fc.boolean())
  .map(([[x = 0, y = 0], size, hasHole]) => {
    const ring = (half: number) => {
      const [south, north] = [Math.max(-90, y - half), Math.min(90, y + half)];
      const corners = [
        [x - half, south],
        [x + half, south],
        [x + half / 2, north],
        [x - half, north],
      ];
      return `(${[...corners, ...corners.slice(0, 1)].map(shown).join()})`;
    };
    return `geography'Polygon(${ring(size)}${hasHole ? `,${ring(size / 2)}` : ""})'`;
  });

const filter = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(distance, fc.constantFrom("lt", "le", "gt", "ge"), metres).map((all) => all.join(" ")),
    fc.tuple(metres, fc.constantFrom("lt", "le", "gt", "ge"), distance).map((all) => all.join(" ")),
    fc.tuple(distance, fc.constantFrom("eq null", "ne null", "eq 0")).map((all) => all.join(" ")),
    polygon.map((shape) => `geo.intersects(Place,${shape})`),
    fc.constantFrom("Rank eq 1", "Place eq null"),
    tie("filter").map((operand) => `not (${operand})`),
    fc
      .tuple(tie("filter"), fc.constantFrom("and", "or", "eq"), tie("filter"))
      .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
  ),
})).filter;

const order = fc
  .tuple(
    distance,
    fc.constantFrom("", " asc", " desc"),
    fc.constantFrom("", ",Rank", ",Rank desc,Id desc", ",Id desc"),
  )
  .map((all) => all.join(""));

/** Shows the places of some rows only, as an entitlement does. */
function maskPlace(node: BoundNode): BoundNode {
  if (node.kind !== "Property" || node.property.name !== "Place") return mapChildren(node, maskPlace);
  return { kind: "Choice", type: node.type, when: bindFilter(parseFilter("Rank ne 1"), homes), value: node };
}

const expectedKeys = (query: ReturnType<typeof bindQuery>): readonly string[] =>
  rows
    .filter((row) => matches(query.filter, row))
    .toSorted((a, b) => compareRows(query.orderBy, a, b))
    .map((row) => String(row["Id"]));

const engines = open.flatMap((places) =>
  Object.entries(places.indexes).map(([name, index]) => ({
    engine: `${places.dialect.name} with the index ${name}`,
    places,
    index,
  })),
);

describe.each(engines)("$engine", ({ places, index }) => {
  test("finds the rows that memory finds", options, async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (text) => {
        const query = bindQuery({ filter: parseFilter(text), top: 1000 }, homes);
        expect((await keysOf(places, index, query)).keys, text).toEqual(expectedKeys(query));
      }),
      { numRuns },
    );
  });

  test("finds no row by a place that it may not show", options, async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (text) => {
        const query = bindQuery({ filter: parseFilter(text), top: 1000 }, homes);
        const masked = { ...query, filter: maskPlace(query.filter) };
        expect((await keysOf(places, index, masked)).keys, text).toEqual(expectedKeys(masked));
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });

  /** A page by phases; the query itself where there are none. */
  async function page(query: ReturnType<typeof bindQuery>) {
    const phases = nearestPhases(query);
    if (phases === null) return keysOf(places, index, query);
    const keys: string[] = [];
    let last: readonly unknown[] | null = null;
    for (const phase of phases) {
      if (keys.length >= phase.top) break;
      const found = await keysOf(places, index, { ...phase, top: phase.top - keys.length });
      keys.push(...found.keys);
      last = found.last ?? last;
    }
    return { keys: keys.slice(query.skip), last };
  }

  test("gives the nearest first, phase by phase and page by page", options, async () => {
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.option(filter, { nil: undefined, freq: 2 }),
        fc.integer({ min: 15, max: 200 }),
        fc.nat(30),
        async (orderText, filterText, top, skip) => {
          const parts = {
            orderBy: parseOrderBy(orderText),
            filter: filterText === undefined ? undefined : parseFilter(filterText),
          };
          // Two engines may differ in the last digits of a distance, and so in the order of places as far away.
          const whole = (await keysOf(places, undefined, bindQuery({ ...parts, top: 1000 }, homes))).keys;
          const text = `${orderText} where ${filterText ?? "true"}`;
          const skipped = await page(bindQuery({ ...parts, top, skip }, homes));
          expect(skipped.keys, text).toEqual(whole.slice(skip, skip + top));
          const walked: string[] = [];
          let after: readonly unknown[] | null = null;
          do {
            const { keys, last } = await page(bindQuery({ ...parts, top, after }, homes));
            walked.push(...keys);
            after = keys.length < top ? null : last;
          } while (after !== null && walked.length <= whole.length);
          expect(walked, text).toEqual(whole);
        },
      ),
      { numRuns: Math.ceil(numRuns / 8) },
    );
  });
});
