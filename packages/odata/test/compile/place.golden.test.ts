import { expect, test } from "vitest";
import { nearestPhases, type PointIndex } from "../../src/compile/index.ts";
import {
  bindQuery,
  compilePage,
  degreesIndex,
  identifier,
  parseFilter,
  parseOrderBy,
  pointIndex,
  postgisIndex,
  postgres,
  rtreeIndex,
  sql,
  sqlite,
} from "../../src/index.ts";
import { homes, indexed } from "../support/places.ts";

const degrees = degreesIndex(identifier("longitude"), identifier("latitude"));

const kinds = [
  ["R*Tree", sqlite, rtreeIndex("home_place", sql`"home"."Id"`, identifier("Place"))],
  ["two columns", sqlite, degrees],
  ["GiST of points", postgres, pointIndex(sql`cadastre_geo_point("Place")`)],
  ["PostGIS", postgres, postgisIndex(identifier("geometry"))],
] as const satisfies readonly (readonly [string, unknown, PointIndex])[];

const here = "geography'Point(-97.74 30.27)'";

const filters = [
  `geo.distance(Place,${here}) le 5000`,
  "geo.distance(Place,geography'Point(179.99 0)') lt 5000",
  `geo.distance(Place,${here}) eq null`,
  `not (geo.distance(Place,${here}) le 5000)`,
  `geo.distance(Place,${here}) lt -1`,
  `geo.distance(Place,${here}) lt 1e8`,
  "geo.intersects(Place,geography'Polygon((-98 30,-97 30,-97 31,-98 30))')",
];

test("searches by place compile to the SQL that was reviewed", async () => {
  const nearest = bindQuery({ orderBy: parseOrderBy(`geo.distance(Place,${here})`), top: 20 }, homes);
  const queries = [
    ...filters.map((text) => [text, bindQuery({ filter: parseFilter(text), top: 10 }, homes)] as const),
    ...(nearestPhases(nearest) ?? []).slice(0, 3).map((phase, i) => [`nearest, phase ${i}`, phase] as const),
  ];
  const shown = kinds.flatMap(([kind, dialect, index]) =>
    queries.map(([text, query]) => {
      const { text: statement, values } = compilePage(query, dialect, indexed(index), {
        columns: [identifier("Id")],
      });
      return `-- ${kind}: ${text}\n${statement}\n-- ${JSON.stringify(values)}\n`;
    }),
  );
  await expect(shown.join("\n")).toMatchFileSnapshot("golden/place.sql");
});
