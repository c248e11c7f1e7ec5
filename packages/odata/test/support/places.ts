import Database from "better-sqlite3";
import type { PointIndex } from "../../src/compile/index.ts";
import {
  type BoundQuery,
  compilePage,
  degreesIndex,
  type EntitySet,
  identifier,
  type Mapping,
  pointIndex,
  postgisIndex,
  postgres,
  type Row,
  rtreeIndex,
  sql,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { startPostgres } from "../../src/testing/postgres.ts";
import type { Position } from "../../src/tree/index.ts";

const property = (name: string, type: "Edm.Int64" | "Edm.GeographyPoint") =>
  [name, { name, type, collection: false, nullable: name !== "Id" }] as const;

/** Homes at places, with a number that is not unique, to test tie-breaking. */
export const homes: EntitySet = {
  name: "Homes",
  type: {
    name: "Home",
    key: ["Id"],
    properties: new Map([
      property("Id", "Edm.Int64"),
      property("Rank", "Edm.Int64"),
      property("Place", "Edm.GeographyPoint"),
    ]),
  },
};

export const home = (Id: number, coordinates: Position | null): Row => ({
  Id,
  Rank: Id % 3,
  Place: coordinates && { type: "Point", coordinates },
});

/** Longitude from -180 to 180, and latitude; null if the place is not on earth. */
const degreesOf = ({ Place }: Row): readonly [longitude: number, latitude: number] | null => {
  const [longitude = Number.NaN, latitude = Number.NaN] =
    (Place as { coordinates: Position } | null)?.coordinates ?? [];
  return Math.abs(latitude) <= 90 ? [longitude - 360 * Math.round(longitude / 360), latitude] : null;
};

export const indexed = (index: PointIndex | undefined): Mapping => {
  const { from, column } = tableMapping("home");
  return {
    from,
    column: (of) => (of.name === "Place" && index !== undefined ? { ...column(of), index } : column(of)),
  };
};

const degrees = degreesIndex(identifier("longitude"), identifier("latitude"));

/** A table of places in one database, with every kind of index. */
export type Places = {
  readonly dialect: Dialect;
  readonly indexes: Readonly<Record<string, PointIndex | undefined>>;
  readonly run: (text: string, values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => Promise<void>;
};

export function openSqlitePlaces(rows: readonly Row[]): Places {
  const database = new Database(":memory:");
  registerFunctions(database);
  database.exec(`
    create table "home" ("Id" integer primary key, "Rank" integer, "Place" text, longitude real, latitude real);
    create virtual table home_place using rtree(id, west, east, south, north)`);
  const insert = database.prepare(`insert into "home" values (?, ?, ?, ?, ?)`);
  const insertPlace = database.prepare(`insert into home_place values (?, ?, ?, ?, ?)`);
  database.transaction(() => {
    for (const row of rows) {
      const [x, y] = degreesOf(row) ?? [null, null];
      insert.run(row["Id"], row["Rank"], row["Place"] && JSON.stringify(row["Place"]), x, y);
      if (x !== null) insertPlace.run(row["Id"], x, x, y, y);
    }
  })();
  database.exec(`
    create index home_degrees on "home" (latitude, longitude);
    create index home_nowhere on "home" (longitude) where longitude is null;
    analyze`);
  return {
    dialect: sqlite,
    indexes: {
      none: undefined,
      "an R*Tree": rtreeIndex("home_place", sql`"home"."Id"`, identifier("longitude")),
      "two columns": degrees,
    },
    run: async (text, values) =>
      database
        .prepare(text)
        .raw()
        .all(...values) as unknown[][],
    close: async () => void database.close(),
  };
}

export async function openPostgresPlaces(rows: readonly Row[]): Promise<Places> {
  const server = await startPostgres();
  const pool = server.connect(1);
  const run: Places["run"] = async (text, values) =>
    (await pool.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows;
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await pool.query(statement);
  await pool.query(
    `create table "home" ("Id" bigint primary key, "Rank" bigint, "Place" jsonb, longitude float8, latitude float8)`,
  );
  await pool.query(
    `insert into "home" select (item ->> 0)::bigint, (item ->> 1)::bigint, nullif(item -> 2, 'null'), (item ->> 3)::float8, (item ->> 4)::float8
     from jsonb_array_elements($1::jsonb) as given(item)`,
    [JSON.stringify(rows.map((row) => [row["Id"], row["Rank"], row["Place"], ...(degreesOf(row) ?? [])]))],
  );
  await pool.query(`create index on "home" using gist (cadastre_geo_point("Place"))`);
  await pool.query(`create index home_nowhere on "home" ("Id") where cadastre_geo_point("Place") is null`);
  await pool.query(`create index on "home" (latitude, longitude)`);
  const { rowCount: hasPostgis } = await pool.query(
    "select from pg_available_extensions where name = 'postgis'",
  );
  if (hasPostgis === 0) console.warn("PostGIS is left out: it is not installed");
  else {
    await pool.query("create extension postgis");
    await pool.query(`alter table "home" add geography geography(Point, 4326)`);
    await pool.query(
      `update "home" set geography = ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography`,
    );
    await pool.query(`create index on "home" using gist ((geography::geometry))`);
    await pool.query(`create index home_unmapped on "home" ("Id") where geography::geometry is null`);
  }
  await pool.query(`vacuum analyze "home"`);
  return {
    dialect: postgres,
    indexes: {
      none: undefined,
      "a GiST index of points": pointIndex(sql`cadastre_geo_point("Place")`),
      "two columns": degrees,
      ...(hasPostgis === 0 ? {} : { PostGIS: postgisIndex(sql`geography::geometry`) }),
    },
    run,
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

/** Returns the keys of a page, as text, and the order values of its last row. */
export async function keysOf(
  { dialect, run }: Places,
  index: PointIndex | undefined,
  query: BoundQuery,
): Promise<{ readonly keys: readonly string[]; readonly last: readonly unknown[] | null }> {
  const { text, values } = compilePage(query, dialect, indexed(index), {
    columns: [identifier("Id")],
    order: true,
  });
  const rows = await run(text, values);
  return { keys: rows.map(([key]) => String(key)), last: rows.at(-1)?.slice(1) ?? null };
}
