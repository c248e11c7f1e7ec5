import type { Mask, ResourceGrant, RestrictedQuery, Scope } from "@cadastre/entitlement";
import { compareRows, evaluate, matches, type Projection, type Row } from "@cadastre/odata";
import { type AppliedForm, evaluateApply, evaluatedRecords } from "@cadastre/odata/apply";
import { codecOf } from "@cadastre/odata/run";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bookmark, WritableStore } from "../../src/index.ts";
import {
  applyToPlots,
  askPlots,
  type Plot,
  plotRecord,
  plotRow,
  plotScope,
  plotsResource,
} from "../support/masked.ts";
import { type Harness, openEmpty, rowsOf } from "./harness.ts";

const some = <T>(...values: readonly T[]) => fc.constantFrom(null, ...values);

const place = fc.constantFrom(
  [30.267_153, -97.743_061],
  [30.27, -97.74],
  [30.264_999_99, -97.745],
  [30.265, -97.744_999_9],
  [-0.004, 0.005],
  [89.999, 180],
  [90.004, 179.999],
  [null, -97.7],
  [null, null],
);

const plot: fc.Arbitrary<Plot> = fc
  .record({
    place,
    dataset: fc.constantFrom(0, 1),
    PostalCode: some("78701", "78701-1234", "78", "", "😀😀x", "97201"),
    Street: some("Main Street", "Ma", "Élm"),
    Price: some(0, 350_000.55, 350_049.99, 350_050, -0.05, 1e12),
    Tax: some(0.1249, 0.125, -0.125, 99.9999),
    Score: some(0.15, 0.25, -0.04, 1.005, 1e21),
    Ratio: some(0.25, 1.5),
    Rooms: some(2, 3),
    Tags: fc.subarray(["new", "sold"]),
    Placekey: some("zzw-222@5vg-82n-kzz"),
  })
  .map(({ place: [latitude = null, longitude = null], dataset, ...values }) => ({
    dataset,
    values: {
      ...values,
      Latitude: latitude,
      Longitude: longitude,
      Coordinates:
        latitude === null || longitude === null
          ? null
          : { type: "Point", coordinates: [longitude, latitude] },
    },
  }));

const rounds = fc.constantFrom<Mask>("null", "round0", "round1", "round2", "round8");
const prefixes = fc.constantFrom<Mask>("null", "prefix1", "prefix3", "prefix32");

/** Masks of a dataset, or a field that it hides. */
const grant: fc.Arbitrary<ResourceGrant> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record(
        {
          PostalCode: prefixes,
          Street: prefixes,
          Price: rounds,
          Tax: rounds,
          Score: rounds,
          Ratio: rounds,
          Rooms: rounds,
          Tags: fc.constant<Mask>("null"),
          Latitude: rounds,
          Longitude: rounds,
        },
        { requiredKeys: [] },
      )
      .map(
        (masks): ResourceGrant =>
          Object.keys(masks).length === 0 ? { fields: "*" } : { fields: "*", masks },
      ),
  },
  fc.constant<ResourceGrant>({
    fields: ["PostalCode", "Latitude", "Price"],
    masks: { PostalCode: "prefix3", Latitude: "round1" },
  }),
);
const whole: ResourceGrant = { fields: "*" };
/** One of them shows every field, so that a query may name any. */
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc
    .tuple(
      grant,
      grant.filter(({ fields }) => fields === "*"),
    )
    .map(([one, other]) => plotScope(one, other)),
  grant.map((one) => plotScope(whole, one)),
  grant.filter(({ fields }) => fields === "*").map((both) => plotScope(both, both)),
);

const austin = "geography'Point(-97.74 30.27)'";
const filter = fc.constantFrom(
  undefined,
  "PostalCode eq '787'",
  "startswith(PostalCode,'7')",
  "PostalCode in ('787','78701') or Street eq 'M'",
  "Price eq 350050",
  "Price ge 350049.99",
  "Tax gt 0.1",
  "Score lt 0.3 and Score gt -0.01",
  "Ratio eq null",
  "Rooms add 1 eq 3",
  "Tags/any(t:t eq 'new')",
  "not Tags/any()",
  "Latitude eq 30.27",
  "Longitude lt -97.7",
  "Coordinates eq null",
  `geo.distance(Coordinates,${austin}) lt 1`,
  `geo.distance(Coordinates,${austin}) le 700`,
  `geo.distance(Coordinates,${austin}) eq null`,
  "geo.intersects(Coordinates,geography'Polygon((-98 30,-97.7 30,-97.7 30.265,-98 30.265,-98 30))')",
  "Placekey ne null",
);
const orderBy = fc.constantFrom(
  undefined,
  "PostalCode",
  "PostalCode desc,Price",
  "Price desc",
  "Tax,Street desc",
  "Score desc",
  "Latitude,Longitude desc",
  `geo.distance(Coordinates,${austin})`,
  `geo.distance(Coordinates,${austin}) desc`,
  "length(Street)",
);
const select = fc.constantFrom(undefined, "PlotKey", "PlotKey,Latitude,Coordinates", "Tags,Price,Placekey");

const request = fc.record({ scope, filter, orderBy, select, top: fc.integer({ min: 3, max: 60 }) });

const applies = [
  "groupby((PostalCode),aggregate($count as N,Price with sum as Total))",
  "groupby((Latitude,Rooms),aggregate(Tax with average as Mean))",
  "groupby((Street),filter(Price gt 1)/aggregate($count as N,Score with sum as Total))",
  "filter(PostalCode eq '787')/aggregate($count as N,Price with average as Mean)",
  "concat(aggregate($count as N),groupby((Rooms),aggregate(Ratio with sum as Total,Street with countdistinct as Kinds)))",
  "compute(length(Street) as Letters)/groupby((Letters),aggregate($count as N))/filter(N gt 2)/topcount(2,N)",
  "groupby((Rooms),aggregate(Price with sum as Total))/aggregate(Total with max as Most)",
];

const plainForm: AppliedForm = { nulls: true, ieee754: false, annotated: "none" };

/** JSON of what a projection shows of a row. */
function shown({ property: { type, collection }, expression }: Projection, row: Row): unknown {
  const value = evaluate(expression, row);
  if (collection) return value;
  const json = value === null ? null : codecOf(type).toJson(value);
  return typeof json === "bigint" ? Number(json) : json;
}

function answerOf({ filter, orderBy, select }: RestrictedQuery, rows: readonly Row[]): readonly Row[] {
  return rows
    .filter((row) => matches(filter, row))
    .toSorted((a, b) => compareRows(orderBy, a, b))
    .map((row) => Object.fromEntries(select.map((item) => [item.property.name, shown(item, row)])));
}

/** Queries of masked fields: the answer is that of memory, page by page. */
export function masks(harness: Harness): void {
  const records = fc
    .sample(plot, { numRuns: 80, seed: 5 })
    .map((one, i) => plotRecord(one, `p${String(i).padStart(2, "0")}`));
  const rows = records.map(plotRow);
  let store: WritableStore;
  beforeAll(async () => {
    store = await openEmpty(harness, { resources: [plotsResource] });
    await store.commit(records);
  });
  afterAll(() => store.close());

  test("a masked field has the masked value in every clause", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ scope, ...asked }) => {
        const query = askPlots(asked, scope);
        const expected = answerOf(query, rows);
        const walked: unknown[] = [];
        let from: Bookmark | undefined;
        do {
          const page = await store.page(query, { from, count: true });
          expect(page.count).toBe(expected.length);
          walked.push(...rowsOf(page));
          from = page.next ?? undefined;
        } while (from !== undefined);
        expect(walked).toEqual(expected);
      }),
      { numRuns: Number(process.env["CASES"] ?? 3) },
    );
  });

  test("a grid counts records by the masked value", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scope, filter, fc.constantFrom(1, 10, 100), async (granted, asked, cellsPerUnit) => {
        const query = askPlots({ filter: asked, select: "Latitude,Longitude" }, granted);
        if (query.select.length < 2) return;
        const expected = new Map<string, number>();
        for (const row of rows.filter((one) => matches(query.filter, one))) {
          const values = query.select.map((item) => shown(item, row));
          if (values.includes(null)) continue;
          // The values have at most 8 digits after the point.
          const cell = values.map((value) =>
            Math.floor(Math.round(Number(value) * 1e8) / (1e8 / cellsPerUnit)),
          );
          expected.set(cell.join(), (expected.get(cell.join()) ?? 0) + 1);
        }
        const { checkpoint, cells } = await store.cells(query, cellsPerUnit);
        const found = new Map<string, number>();
        for (let at = 0; at < cells.length; at += 3)
          found.set(cells.slice(at, at + 2).join(), cells[at + 2] ?? 0);
        expect(found).toEqual(expected);
        expect(checkpoint).toBe(await store.checkpoint());
      }),
      { numRuns: 3 * Number(process.env["CASES"] ?? 3) },
    );
  });

  test("a grid counts a coordinate between two cells where rounding away from zero puts it", async () => {
    const own = await openEmpty(harness, { resources: [plotsResource] });
    const coordinates = [30.005, -97.005, 30.004_999_99, -97.004_999_99, 0.005, -0.005, 0.014_999_99, 0];
    const plots = coordinates.map((Latitude, i) =>
      plotRecord({ dataset: 0, values: { Latitude, Longitude: -Latitude } }, `p${i}`),
    );
    await own.commit(plots);
    const masked = { fields: "*", masks: { Latitude: "round2", Longitude: "round2" } } as const;
    const query = askPlots({ select: "Latitude,Longitude" }, plotScope(masked, masked));
    const { cells } = await own.cells(query, 100);
    const found = Array.from({ length: cells.length / 3 }, (_, i) =>
      Array.from(cells.subarray(3 * i, 3 * i + 3)),
    );
    expect(found.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [-9701, 9701, 1],
      [-9700, 9700, 1],
      [-1, 1, 1],
      [0, 0, 1],
      [1, -1, 2],
      [3000, -3000, 1],
      [3001, -3001, 1],
    ]);
    await own.close();
  });

  test("aggregates are of the masked values, page by page", { timeout: 120_000 }, async () => {
    const asked = fc.record({
      granted: scope,
      apply: fc.constantFrom(...applies),
      top: fc.integer({ min: 1, max: 20 }),
      least: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ granted, apply, top, least }) => {
        const restricted = applyToPlots(apply, top, granted, least);
        const { applied } = restricted;
        const found = evaluateApply(applied.apply, rows).toSorted((a, b) =>
          compareRows(applied.query.orderBy, a, b),
        );
        const walked: string[] = [];
        let from: readonly unknown[] | undefined;
        do {
          const page = await store.apply(restricted, { from, count: true, form: plainForm });
          expect(page.count).toBe(found.length);
          walked.push(...page.records);
          from = page.next ?? undefined;
        } while (from !== undefined);
        expect(walked, apply).toEqual(evaluatedRecords(found, applied, plainForm));
        expect(await store.countApplied(restricted)).toBe(found.length);
      }),
      { numRuns: 5 * Number(process.env["CASES"] ?? 3) },
    );
  });

  test("a masked member without a value is left out where nulls are", async () => {
    const masked = { fields: "*", masks: { PostalCode: "prefix3", Street: "null" } } as const;
    const query = askPlots({ select: "PlotKey,PostalCode,Street,Tags", top: 80 }, plotScope(masked, masked));
    const answers = [await store.page(query, { nulls: false }), await store.page(query)].map(rowsOf);
    const [without, whole = []] = answers;
    expect(whole.some(({ PostalCode }) => PostalCode === null)).toBe(true);
    const isWritten = ([, value]: readonly unknown[]) => value !== null;
    expect(without).toEqual(whole.map((row) => Object.fromEntries(Object.entries(row).filter(isWritten))));
  });

  test("a mask is read as of the checkpoint that a walk began at", async () => {
    const scope = plotScope({ fields: "*", masks: { PostalCode: "prefix3", Street: "null" } }, whole);
    const own = await openEmpty(harness, { resources: [plotsResource] });
    const plots = ["11111", "22222", "33333"].map((PostalCode, i) =>
      plotRecord({ dataset: 0, values: { PostalCode, Street: "Main" } }, `p${i}`),
    );
    await own.commit(plots);
    const query = askPlots({ orderBy: "PostalCode", select: "PostalCode,Street", top: 1 }, scope);
    const first = await own.page(query);
    await own.commit([plotRecord({ dataset: 0, values: { PostalCode: "44444" } }, "p1")]);
    const second = await own.page(query, { from: first.next ?? undefined });
    expect([...rowsOf(first), ...rowsOf(second)]).toEqual([
      { PostalCode: "111", Street: null },
      { PostalCode: "222", Street: null },
    ]);
    await own.close();
  });
}
