import fc from "fast-check";
import type pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { distance, lineLength } from "../../src/geodesy/distance.ts";
import { containsPoint } from "../../src/geodesy/polygon.ts";
import { hasPostgres, startPostgres } from "../../src/testing/postgres.ts";
import type { Position } from "../../src/tree/index.ts";

const server = hasPostgres ? await startPostgres() : undefined;
const pool = server?.connect(1);

async function createPostgis(database: pg.Pool): Promise<boolean> {
  const { rowCount } = await database.query("select from pg_available_extensions where name = 'postgis'");
  if (rowCount !== 0) await database.query("create extension postgis");
  return rowCount !== 0;
}

const hasPostgis = pool !== undefined && (await createPostgis(pool));
if (!hasPostgis) console.warn("PostGIS is left out: it is not installed");

afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

const numRuns = Number(process.env["CASES"] ?? 2000);
const double = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const within = (longitude: number): number => longitude - 360 * Math.round(longitude / 360);
const place = fc.tuple(
  fc.oneof(double(-180, 180), fc.constantFrom(180, -180, 179.999, 0)),
  fc.oneof(double(-89, 89), fc.constantFrom(89, -89, 0)),
);

/** A star with a hole of the same form, and a point in its neighbourhood. */
const scene = fc
  .record({
    middle: place,
    size: fc.constantFrom(1e-3, 0.1, 3, 25),
    radii: fc.array(double(0.3, 1), { minLength: 4, maxLength: 9 }),
    hole: fc.constantFrom(0, 0.4),
    way: double(0, 2 * Math.PI),
    share: double(0, 1.2),
  })
  .map(({ middle: [x, y], size, radii, hole, way, share }) => {
    const at = (angle: number, radius: number): Position => {
      const latitude = Math.max(-89.9, Math.min(89.9, y + size * radius * Math.sin(angle)));
      return [within(x + size * radius * Math.cos(angle)), latitude];
    };
    const ring = (scale: number): readonly Position[] =>
      [...radii, ...radii.slice(0, 1)].map((radius, i) =>
        at(((i % radii.length) / radii.length) * 2 * Math.PI, radius * scale),
      );
    return { polygon: hole === 0 ? [ring(1)] : [ring(1), ring(hole)], point: at(way, share) };
  });

/** What PostGIS says of each item of a JSON array, `item`. */
async function ask<T>(expression: string, items: readonly unknown[]): Promise<readonly T[]> {
  const { rows } = (await pool?.query<{ v: T }>(
    `select ${expression} as v from jsonb_array_elements($1::jsonb) with ordinality as given(item, place) order by place`,
    [JSON.stringify(items)],
  )) ?? { rows: [] };
  return rows.map(({ v }) => v);
}

const geography = (shape: string) => `ST_GeomFromGeoJSON(${shape})::geography`;
const shapeOf = (type: string, coordinates: string) =>
  `jsonb_build_object('type', '${type}', 'coordinates', ${coordinates})`;

describe.skipIf(!hasPostgis)("PostGIS agrees (skipped where it is not installed)", () => {
  test("on points in polygons with holes and across the antimeridian", async () => {
    const scenes = fc.sample(scene, numRuns);
    const polygon = geography(shapeOf("Polygon", "item -> 'polygon'"));
    const point = geography(shapeOf("Point", "item -> 'point'"));
    const inside = await ask<boolean>(`ST_Intersects(${polygon}, ${point})`, scenes);
    const differing = scenes.filter((one, i) => containsPoint(one.polygon, one.point) !== inside[i]);
    expect(differing.slice(0, 3)).toEqual([]);
    expect(inside.filter(Boolean).length).toBeGreaterThan(numRuns / 5);
  });

  test("on distances and lengths, to a hundredth of a millimetre in a thousand kilometres", async () => {
    // PostGIS refuses an edge between antipodes.
    const line = fc
      .array(place, { minLength: 2, maxLength: 6 })
      .filter((all) => all.every((to, i) => (distance(all[i - 1] ?? to, to) ?? 0) < 2e7));
    const lines = fc.sample(line, numRuns);
    const lengths = await ask<number>(`ST_Length(${geography(shapeOf("LineString", "item"))})`, lines);
    const ends = [0, 1].map((i) => geography(shapeOf("Point", `item -> ${i}`)));
    const distances = await ask<number>(`ST_Distance(${ends.join()})`, lines);
    for (const [i, one] of lines.entries()) {
      const [from = [], to = []] = one;
      const error = Math.abs((lineLength(one) ?? Number.NaN) - (lengths[i] ?? Number.NaN));
      expect(error, JSON.stringify(one)).toBeLessThan(1e-5 + 1e-11 * (lengths[i] ?? 0));
      expect(Math.abs((distance(from, to) ?? Number.NaN) - (distances[i] ?? Number.NaN))).toBeLessThan(1e-3);
    }
  });
});
