import type { Box } from "../geodesy/box.ts";
import { identifier, join, type SqlFragment, sql } from "../sql/fragment.ts";

export type { Box };

/** Bounds of a {@link Box}, in degrees, as bound values. */
export type BoxValues = Readonly<Record<keyof Box, SqlFragment>>;

/**
 * A spatial index on a column of points. Its conditions are prefilters, always combined with the exact condition:
 * they must hold for every row they are meant to find, and should hold for few others. Longitudes range from -180
 * to 180.
 */
export type PointIndex = {
  /** Returns the condition that a point lies in one of the boxes. There is at least one, and all have the same latitudes. */
  readonly within: (boxes: readonly BoxValues[]) => SqlFragment;
  /** Condition for rows without a point: null, or a point that is not on earth. */
  readonly missing: SqlFragment;
  /**
   * Condition for rows with a point that is not null but not on earth. Undefined if the index cannot tell; then
   * `missing` is used.
   */
  readonly misplaced?: SqlFragment;
};

const anyOf = (boxes: readonly BoxValues[], condition: (box: BoxValues) => SqlFragment): SqlFragment =>
  sql`(${join(boxes.map(condition), " or ")})`;

/**
 * An R*Tree of SQLite with the columns `id, west, east, south, north` and one row per point: `create virtual table
 * … using rtree(id, west, east, south, north)`. Its `id` is `key` of the mapped table, such as its `rowid`.
 * `column` holds the points, and null where there is none.
 */
export const rtreeIndex = (table: string, key: SqlFragment, column: SqlFragment): PointIndex => ({
  within: (boxes) => {
    const found = boxes.map(
      ({ west, south, east, north }) =>
        sql`select id from ${identifier(table)} where west <= ${east} and east >= ${west} and south <= ${north} and north >= ${south}`,
    );
    return sql`${key} in (${join(found, " union all ")})`;
  },
  missing: sql`${column} is null`,
});

/** Two numeric columns, null where there is no point, with an ordinary index on latitude and longitude. */
export const degreesIndex = (longitude: SqlFragment, latitude: SqlFragment): PointIndex => ({
  within: (boxes) => {
    const [{ south, north }] = boxes as readonly [BoxValues, ...BoxValues[]];
    const longitudes = anyOf(boxes, ({ west, east }) => sql`${longitude} between ${west} and ${east}`);
    return sql`${latitude} between ${south} and ${north} and ${longitudes}`;
  },
  missing: sql`${latitude} is null`,
});

/**
 * A `point(longitude, latitude)` of PostgreSQL with a GiST index: a column, or the expression
 * `cadastre_geo_point(column)` over GeoJSON.
 */
export const pointIndex = (point: SqlFragment): PointIndex => ({
  within: (boxes) =>
    anyOf(
      boxes,
      ({ west, south, east, north }) =>
        sql`${point} <@ box(point(${west}::float8, ${south}::float8), point(${east}::float8, ${north}::float8))`,
    ),
  missing: sql`${point} is null`,
});

/** A `geometry(Point, 4326)` of PostGIS with a GiST index: a column, or an expression such as `place::geometry`. */
export const postgisIndex = (geometry: SqlFragment): PointIndex => ({
  within: (boxes) =>
    anyOf(
      boxes,
      ({ west, south, east, north }) =>
        sql`${geometry} && ST_MakeEnvelope(${west}::float8, ${south}::float8, ${east}::float8, ${north}::float8, 4326)`,
    ),
  missing: sql`${geometry} is null`,
});
