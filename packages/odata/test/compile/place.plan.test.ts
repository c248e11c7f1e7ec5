import { afterAll, describe, expect, test } from "vitest";
import { nearestPhases } from "../../src/compile/index.ts";
import { bindQuery, compilePage, parseFilter, parseOrderBy } from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import type { Position } from "../../src/tree/index.ts";
import {
  home,
  homes,
  indexed,
  openPostgresPlaces,
  openSqlitePlaces,
  type Places,
} from "../support/places.ts";

/** 20,000 places over a country and a few without one. */
const rows = Array.from({ length: 20_000 }, (_, i) => {
  const place: Position = [-120 + 50 * ((i * 0.618_034) % 1), 26 + (22 * i) / 20_000];
  return home(i + 1, i % 2500 === 0 ? null : place);
});

const sqlite = openSqlitePlaces(rows);
const postgres = hasPostgres ? await openPostgresPlaces(rows) : undefined;
if (postgres === undefined) console.warn("PostgreSQL is left out: no server is installed");

afterAll(async () => {
  await sqlite.close();
  await postgres?.close();
});

/** What the database says about how it would run a query. */
async function plan(places: Places, index: string, query: ReturnType<typeof bindQuery>): Promise<string> {
  const { text, values } = compilePage(query, places.dialect, indexed(places.indexes[index]));
  const explain = places === sqlite ? "explain query plan" : "explain";
  return (await places.run(`${explain} ${text}`, values)).map((row) => row.at(-1)).join("\n");
}

const here = "geography'Point(-97.74 30.27)'";

const filters = [
  `geo.distance(Place,${here}) le 5000`,
  `5000 gt geo.distance(${here},Place)`,
  `geo.distance(Place,${here}) le 5000 and Rank eq 1`,
  `geo.distance(Place,${here}) lt 5000 or geo.distance(Place,geography'Point(180 0)') lt 5000`,
  "geo.intersects(Place,geography'Polygon((-97.8 30.2,-97.7 30.2,-97.7 30.3,-97.8 30.2))')",
  `geo.distance(Place,${here}) eq null`,
];

const expected: Readonly<Record<string, RegExp>> = {
  "an R*Tree": /home_place VIRTUAL TABLE INDEX|home_nowhere/,
  "two columns": /home_degrees|home_latitude_longitude_idx/,
  "a GiST index of points": /home_cadastre_geo_point_idx|home_nowhere/,
  PostGIS: /home_geography_idx|home_unmapped/,
};

/** A table that is read from end to end, and not by an index. */
const whole = /Seq Scan|SCAN home$/m;

describe.each([sqlite, ...(postgres === undefined ? [] : [postgres])])("$dialect.name", (places) => {
  const indexes = Object.keys(places.indexes).filter((name) => name !== "none");

  test.each(indexes.flatMap((index) => filters.map((filter) => [index, filter] as const)))(
    "finds by %s the rows of %s",
    async (index, filter) => {
      const found = await plan(places, index, bindQuery({ filter: parseFilter(filter), top: 100 }, homes));
      expect(found).toMatch(expected[index] ?? /never/);
      expect(found).not.toMatch(whole);
    },
  );

  test.each(indexes)("finds by %s the nearest", async (index) => {
    const query = bindQuery({ orderBy: parseOrderBy(`geo.distance(Place,${here})`), top: 20 }, homes);
    const phases = nearestPhases(query) ?? [];
    expect(phases).toHaveLength(16);
    for (const phase of phases.slice(0, 8)) {
      const found = await plan(places, index, phase);
      expect(found).toMatch(expected[index] ?? /never/);
      expect(found).not.toMatch(whole);
    }
  });

  test("does not use it below `not`", async () => {
    const query = bindQuery({ filter: parseFilter(`not (${filters[0]})`), top: 100 }, homes);
    for (const index of indexes) expect(await plan(places, index, query)).not.toMatch(expected[index] ?? /./);
  });
});
