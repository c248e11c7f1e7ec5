import type { Box } from "../geodesy/box.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";

export type { Box };

/**
 * A spatial index on a column of points. Its conditions are prefilters, always combined with the exact condition:
 * they must hold for every row they are meant to find, and should hold for few others. Longitudes range from -180
 * to 180.
 */
export type PointIndex = {
  /** Returns the condition that a point lies in one of the boxes. There is at least one box. */
  readonly within: (boxes: readonly Box[]) => SqlFragment;
  /** Condition for rows without a point: null, or a point that is not on earth. */
  readonly missing: SqlFragment;
  /**
   * Condition for rows with a point that is not null but not on earth. Undefined if the index cannot tell; then
   * `missing` is used.
   */
  readonly misplaced?: SqlFragment;
};

const anyOf = (boxes: readonly Box[], condition: (box: Box) => SqlFragment): SqlFragment =>
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
        sql`select id from ${identifier(table)} where west <= ${value(east)} and east >= ${value(west)} and south <= ${value(north)} and north >= ${value(south)}`,
    );
    return sql`${key} in (${join(found, " union all ")})`;
  },
  missing: sql`${column} is null`,
});

/** Two numeric columns, null where there is no point, with an ordinary index on latitude and longitude. */
export const degreesIndex = (longitude: SqlFragment, latitude: SqlFragment): PointIndex => ({
  within: (boxes) => {
    // One range of latitudes for all boxes, because the index is scanned by a range of latitudes.
    const south = Math.min(...boxes.map((box) => box.south));
    const north = Math.max(...boxes.map((box) => box.north));
    const longitudes = anyOf(
      boxes,
      ({ west, east }) => sql`${longitude} between ${value(west)} and ${value(east)}`,
    );
    return sql`${latitude} between ${value(south)} and ${value(north)} and ${longitudes}`;
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
        sql`${point} <@ box(point(${value(west)}::float8, ${value(south)}::float8), point(${value(east)}::float8, ${value(north)}::float8))`,
    ),
  missing: sql`${point} is null`,
});

/** A `geometry(Point, 4326)` of PostGIS with a GiST index: a column, or an expression such as `place::geometry`. */
export const postgisIndex = (geometry: SqlFragment): PointIndex => ({
  within: (boxes) =>
    anyOf(
      boxes,
      ({ west, south, east, north }) =>
        sql`${geometry} && ST_MakeEnvelope(${value(west)}::float8, ${value(south)}::float8, ${value(east)}::float8, ${value(north)}::float8, 4326)`,
    ),
  missing: sql`${geometry} is null`,
});
