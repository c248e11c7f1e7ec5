import { identifier, type SqlFragment, sql, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";
import { statementText } from "../../database/statement-text.ts";
import type { CheckedIndex, CheckedTable, PointSchema, TableSchema } from "../../schema/table.ts";

/** Position in degrees. */
type Place = readonly [longitude: number, latitude: number];

/** Position in the R*Tree of a row without a point: outside of any box on earth. */
export const noPosition: Place = [999, 0];
/** Position of a row with an invalid point. */
const invalidPosition: Place = [998, 0];

/** Creates and fills the R*Tree of a location column, within the caller's transaction. */
export function createPlaces(database: Database, table: TableSchema, point: PointSchema): void {
  const columns = sql`id, west, east, south, north`;
  database.exec(statementText(sql`create virtual table ${identifier(point.name)} using rtree(${columns})`));
  const places = new PlaceWriter(database, table, point);
  const column = identifier(point.column.name);
  const rows = database.prepare(statementText(sql`select rowid, ${column} from ${identifier(table.name)}`));
  // A connection cannot write while a statement reads, so all rows are read first.
  for (const [rowid, json] of rows.raw().safeIntegers().all() as [bigint, string | null][])
    places.add(rowid, json);
}

export const dropPlaces = (database: Database, name: string): void =>
  void database.exec(statementText(sql`drop table if exists ${identifier(name)}`));

/** Updates the R*Tree of a location column, within the caller's transaction. Points are JSON text. */
export class PlaceWriter {
  /** Index of the column in the table's columns. */
  readonly #position: number;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #move: Statement;
  readonly #delete: Statement;

  constructor(database: Database, table: TableSchema, { name, column }: PointSchema) {
    const places = identifier(name);
    const [parameter, ofRow] = [value(null), sql`rowid = ${value(null)}`];
    const prepare = (statement: SqlFragment) => database.prepare(statementText(statement));
    this.#position = table.columns.indexOf(column);
    this.#insert = prepare(
      sql`insert into ${places} values (${parameter}, ${parameter}, ${parameter}, ${parameter}, ${parameter})`,
    );
    this.#find = prepare(
      sql`select ${identifier(column.name)} from ${identifier(table.name)} where ${ofRow}`,
    ).pluck();
    this.#move = prepare(
      sql`update ${places} set west = ${parameter}, east = ${parameter}, south = ${parameter}, north = ${parameter} where id = ${parameter}`,
    );
    this.#delete = prepare(sql`delete from ${places} where id = ${parameter}`);
  }

  /** @param row values of all columns of the table */
  insert(rowid: number | bigint, row: readonly unknown[]): void {
    this.add(rowid, row[this.#position]);
  }

  add(rowid: number | bigint, point: unknown): void {
    const [longitude, latitude] = placeOf(point);
    this.#insert.run(rowid, longitude, longitude, latitude, latitude);
  }

  /** Call it before the row is updated. */
  update(rowid: bigint, row: readonly unknown[]): void {
    const point = row[this.#position];
    if (this.#find.get(rowid) === point) return;
    const [longitude, latitude] = placeOf(point);
    this.#move.run(longitude, longitude, latitude, latitude, rowid);
  }

  delete(rowid: bigint): void {
    this.#delete.run(rowid);
  }
}

/** Returns the position of a point, with the longitude normalized to -180 to 180. */
function placeOf(point: unknown): Place {
  if (typeof point !== "string") return noPosition;
  const [longitude, latitude] = (JSON.parse(point) as { readonly coordinates: Place }).coordinates;
  if (!Number.isFinite(longitude) || Math.abs(latitude) > 90) return invalidPosition;
  return [longitude - 360 * Math.round(longitude / 360), latitude];
}

/**
 * Factors by which SQLite rounds a coordinate to a 4-byte float of an R*Tree. Source: SQLite, rtree.c, rtreeValueDown and
 * rtreeValueUp.
 */
const [towardsZero, fromZero] = [1 - 2 ** -23, 1 + 2 ** -23];
const down = (value: number): number => {
  const rounded = Math.fround(value);
  return rounded > value ? Math.fround(value * (value < 0 ? fromZero : towardsZero)) : rounded;
};
const up = (value: number): number => -down(-value);

type PlaceRow = readonly [point: unknown, west: number, east: number, south: number, north: number];

/**
 * Counts the rows that are missing from the R*Tree or have another position there, and the entries of the R*Tree without a row.
 */
export function misplacedRows(
  database: Database,
  table: CheckedTable,
  { name, column }: CheckedIndex,
): number {
  const [rows, places, point] = [identifier(table.name), identifier(name), identifier(column.name)];
  const select = sql`select ${point}, west, east, south, north from ${rows} left join ${places} on id = ${rows}.rowid`;
  let misplaced = 0;
  for (const row of database.prepare(statementText(select)).raw().iterate()) {
    const [json, ...box] = row as PlaceRow;
    const [longitude, latitude] = placeOf(json);
    const expected = [down(longitude), up(longitude), down(latitude), up(latitude)];
    if (expected.some((side, i) => side !== box[i])) misplaced++;
  }
  const count = sql`select (select count(*) from ${places}) - (select count(*) from ${rows})`;
  return misplaced + Math.abs(database.prepare(statementText(count)).pluck().get() as number);
}
