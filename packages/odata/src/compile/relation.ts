import { identifier } from "../sql/fragment.ts";
import type { Join, Mapping, Path } from "./mapping.ts";

/** Names of columns: of the row that a path leaves → of the row that it reaches. */
export type ColumnPairs = Readonly<Record<string, string>>;

const joins = (on: ColumnPairs): readonly Join[] =>
  Object.entries(on).map(([parent, child]) => ({ parent: identifier(parent), child: identifier(child) }));

/** Rows of another table, or of the same, whose columns equal those of the row at hand. */
export const relation = (mapping: () => Mapping, on: ColumnPairs): Path => ({
  kind: "rows",
  mapping,
  on: joins(on),
});

/**
 * A complex value in columns of the row at hand, by the names of its members. It is null where the column
 * `present` is; without one, whether it is null cannot be asked.
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

/** A JSON object, or an array of objects, in a column of the row at hand, or where names lead to within it. */
export const jsonColumn = (column: string, ...at: readonly string[]): Path => ({
  kind: "json",
  json: identifier(column),
  at,
});

/** A collection of primitive values as rows of a table: its column of items, and of their order if it matters. */
export const itemTable = (table: string, item: string, on: ColumnPairs, order?: string): Path => ({
  kind: "items",
  from: identifier(table),
  on: joins(on),
  item: { sql: identifier(item) },
  ...(order === undefined ? {} : { order: identifier(order) }),
});
