import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import type { PointIndex } from "../src/compile/index.ts";
import {
  type BoundQuery,
  compilePage,
  degreesIndex,
  identifier,
  pointIndex,
  postgisIndex,
  postgres,
  rtreeIndex,
  sql,
  sqlite,
} from "../src/index.ts";
import { postgresHelpers, postgresSettings } from "../src/postgres/index.ts";
import type { Dialect } from "../src/run/index.ts";
import { registerFunctions } from "../src/sqlite/index.ts";
import { startPostgres } from "../src/testing/postgres.ts";
import { indexed } from "../test/support/places.ts";

/** A table of homes in a database. */
export type Homes = {
  readonly name: string;
  readonly indexes: Readonly<Record<string, PointIndex | undefined>>;
  /** Number of the rows of a query. */
  readonly run: (query: BoundQuery, index: PointIndex | undefined) => Promise<number>;
  /** CPU that the database has used, in milliseconds. */
  readonly cpu: () => number;
  readonly close: () => Promise<void>;
};

export const centre = [-97.74, 30.27] as const;

/** Homes near the centre, of any number of homes. */
export const hits = 1000;

/** The same numbers from 0 to 1 every time. Source: Park and Miller, "minimal standard". */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Homes in no order: a hit every so many, within 4.9 km; the others more than 20 km away, over a country. */
function* places(count: number): Generator<readonly [longitude: number, latitude: number]> {
  // The hits are the same ones whatever the number of the others.
  const [next, nextHit] = [random(1), random(2)];
  for (let i = 0; i < count; i++) {
    if (i % (count / hits) === 0) {
      const [radius, angle] = [0.044 * Math.sqrt(nextHit()), 2 * Math.PI * nextHit()];
      const stretch = Math.cos((centre[1] * Math.PI) / 180);
      yield [centre[0] + (radius * Math.cos(angle)) / stretch, centre[1] + radius * Math.sin(angle)];
      continue;
    }
    let [x, y] = centre as readonly [number, number];
    while (Math.abs(x - centre[0]) < 0.2 && Math.abs(y - centre[1]) < 0.2)
      [x, y] = [-124 + 57 * next(), 26 + 22 * next()];
    yield [x, y];
  }
}

const compiled = (query: BoundQuery, dialect: Dialect, index: PointIndex | undefined) =>
  compilePage(query, dialect, indexed(index));

const degrees = degreesIndex(identifier("longitude"), identifier("latitude"));

export function openSqliteHomes(count: number): Homes {
  const database = new Database(":memory:");
  registerFunctions(database);
  database.exec(`
    create table "home" ("Id" integer primary key, "Rank" integer, "Place" text, longitude real, latitude real);
    create virtual table home_place using rtree(id, west, east, south, north)`);
  const insert = database.prepare(`insert into "home" values (?, ?, ?, ?, ?)`);
  const insertPlace = database.prepare(`insert into home_place values (?, ?, ?, ?, ?)`);
  database.transaction(() => {
    let id = 0;
    for (const [x, y] of places(count)) {
      id += 1;
      insert.run(id, id % 7, JSON.stringify({ type: "Point", coordinates: [x, y] }), x, y);
      insertPlace.run(id, x, x, y, y);
    }
  })();
  database.exec(`
    create index home_degrees on "home" (latitude, longitude);
    create index home_nowhere on "home" (longitude) where longitude is null;
    analyze`);
  return {
    name: "SQLite",
    indexes: {
      "R\\*Tree": rtreeIndex("home_place", sql`"home"."Id"`, identifier("longitude")),
      "two columns": degrees,
      "no index": undefined,
    },
    run: async (query, index) => {
      const { text, values } = compiled(query, sqlite, index);
      return database.prepare(text).all(...values).length;
    },
    cpu: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    close: async () => void database.close(),
  };
}

/** Milliseconds of a tick of `/proc`. */
const tick = 10;

export async function openPostgresHomes(count: number): Promise<Homes> {
  const server = await startPostgres();
  const pool = server.connect(1);
  // One connection, so that the CPU of one process is all that there is.
  const client = await pool.connect();
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await client.query(statement);
  await client.query("set max_parallel_workers_per_gather to 0");
  await client.query(
    `create table "home" ("Id" bigint primary key, "Rank" bigint, "Place" jsonb, longitude float8, latitude float8)`,
  );
  const all = [...places(count)];
  for (let id = 1; id <= count; id += 10_000) {
    const part = all.slice(id - 1, id - 1 + 10_000);
    await client.query(
      `insert into "home" select $3::bigint + i - 1, i % 7, jsonb_build_object('type', 'Point', 'coordinates', array[x, y]), x, y
       from unnest($1::float8[], $2::float8[]) with ordinality as given(x, y, i)`,
      [part.map(([x]) => x), part.map(([, y]) => y), id],
    );
  }
  await client.query(`create index on "home" using gist (cadastre_geo_point("Place"))`);
  await client.query(`create index on "home" ("Id") where cadastre_geo_point("Place") is null`);
  await client.query(`create index on "home" (latitude, longitude)`);
  const { rowCount: hasPostgis } = await client.query(
    "select from pg_available_extensions where name = 'postgis'",
  );
  if (hasPostgis !== 0) {
    await client.query("create extension postgis");
    const point = "ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)";
    await client.query(`create index on "home" using gist (${point})`);
    await client.query(`create index on "home" ("Id") where ${point} is null`);
  }
  await client.query(`vacuum analyze "home"`);
  const { rows: backends } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const stat = `/proc/${backends[0]?.pid}/stat`;
  return {
    name: "PostgreSQL",
    indexes: {
      "GiST of points": pointIndex(sql`cadastre_geo_point("Place")`),
      "two columns": degrees,
      ...(hasPostgis === 0
        ? {}
        : { PostGIS: postgisIndex(sql`ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)`) }),
      "no index": undefined,
    },
    run: async (query, index) => {
      const { text, values } = compiled(query, postgres, index);
      return (await client.query({ text, values: [...values] })).rows.length;
    },
    cpu: () => {
      const [, , , , , , , , , , , user, system] = readFileSync(stat, "utf8")
        .replace(/\(.*\)/, "")
        .split(/\s+/);
      return (Number(user) + Number(system)) * tick;
    },
    close: async () => {
      client.release();
      await pool.end();
      await server.stop();
    },
  };
}
