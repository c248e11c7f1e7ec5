import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { type Access, accessTo, type RowsOf } from "../read/access.ts";
import { conjuncts } from "../read/conjuncts.ts";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import { isCheap } from "./cheap.ts";

/** The index that SQLite itself makes of a primary key: none of the table's own. */
const keyIndexOf = ({ name, key }: TableSchema): IndexSchema => ({
  name: `sqlite_autoindex_${name}_1`,
  columns: key,
});

/** Whether a condition bounds a column that an index has: it may leave few rows, and how many is not known. */
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
 * How queries over a table find their rows. The index of the key is one of order where the filter compares columns, as a
 * scope does: SQLite would sooner find all rows of a state and sort them. What a filter computes or bounds may have a
 * better one.
 */
export function accessOf(table: TableSchema, rowsOf: RowsOf): (query: BoundQuery) => Access {
  const withKey = { ...table, indexes: [...table.indexes, keyIndexOf(table)] };
  const bounds = boundsIn(table);
  const isByKey = (filter: BoundNode) => isCheap(filter) && !conjuncts(filter).some(bounds);
  return (query) => accessTo(query, isByKey(query.filter) ? withKey : table, rowsOf);
}
