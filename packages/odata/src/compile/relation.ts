import { identifier } from "../sql/fragment.ts";
import type { Join, Mapping, Path } from "./mapping.ts";

/** Pairs of column names: column of the row that a path starts at → column of the row it leads to. */
export type ColumnPairs = Readonly<Record<string, string>>;

const joins = (on: ColumnPairs): readonly Join[] =>
  Object.entries(on).map(([parent, child]) => ({ parent: identifier(parent), child: identifier(child) }));

/** A path to the rows of another table, or of the same table, whose columns equal those of the current row. */
export const relation = (mapping: () => Mapping, on: ColumnPairs): Path => ({
  kind: "rows",
  mapping,
  on: joins(on),
});

/**
 * A path to a complex value in columns of the current row, given by the names of its members. It is null if the
 * column `present` is null; without `present`, comparing it with null is not supported, and in an answer it is never null.
 */
export const complexValue = (
  names: Readonly<Record<string, string>>,
  present?: string,
  paths: Readonly<Record<string, Path>> = {},
): Path => ({
  kind: "members",
  members: {
    column: ({ name }) => ({ sql: identifier(names[name] ?? name) }),
    path: ({ name }) => (Object.hasOwn(paths, name) ? paths[name] : undefined),
  },
  ...(present === undefined ? {} : { present: identifier(present) }),
});

/**
 * A path to a JSON object, or an array of objects, in a column of the current row; `at` is the path within the
 * JSON.
 */
export const jsonColumn = (column: string, ...at: readonly string[]): Path => ({
  kind: "json",
  json: identifier(column),
  at,
});

/**
 * A path to a collection of primitive values in the rows of a table: the column of the items, and the column that
 * orders them, if their order matters.
 */
export const itemTable = (table: string, item: string, on: ColumnPairs, order?: string): Path => ({
  kind: "items",
  from: identifier(table),
  on: joins(on),
  item: { sql: identifier(item) },
  ...(order === undefined ? {} : { order: identifier(order) }),
});
