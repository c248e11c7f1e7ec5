import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { conjuncts } from "@cadastre/odata/tree";
import { type Access, accessTo, type RowsOf } from "../../read/access.ts";
import type { IndexSchema, TableSchema } from "../../schema/table.ts";
import { isPlainComparison } from "./plain-comparison.ts";

/** The index that SQLite creates automatically for a primary key. It is not among the table's own indexes. */
const keyIndexOf = ({ name, key }: TableSchema): IndexSchema => ({
  name: `sqlite_autoindex_${name}_1`,
  columns: key,
});

/**
 * Returns true if a condition sets a bound for an indexed column. It may leave few rows, but statistics do not tell how many.
 */
const boundsIn =
  ({ indexes }: TableSchema) =>
  (condition: BoundNode): boolean =>
    condition.kind === "Compare" &&
    ["gt", "ge", "lt", "le"].includes(condition.comparator) &&
    [condition.left, condition.right].some(
      (side) =>
        side.kind === "Property" &&
        indexes.some(({ columns }) => columns.some(({ name }) => name === side.property.name)),
    );

/**
 * Returns a function that chooses the access path of a query. If the filter only compares columns, as scopes do, reading in key
 * order is allowed too: SQLite itself would rather find all rows of a state and sort them. If the filter computes something or
 * sets bounds, another index may be better.
 */
export function accessOf(table: TableSchema, rowsOf: RowsOf): (query: BoundQuery) => Access {
  const withKey = { ...table, indexes: [...table.indexes, keyIndexOf(table)] };
  const bounds = boundsIn(table);
  const isByKey = (filter: BoundNode) => isPlainComparison(filter) && !conjuncts(filter).some(bounds);
  return (query) => accessTo(query, isByKey(query.filter) ? withKey : table, rowsOf);
}
