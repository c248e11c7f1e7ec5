import type { BoundQuery } from "@cadastre/odata";
import { orderIndexOf, type RowsOf } from "../read/order-index.ts";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import { isCheap } from "./cheap.ts";

/** The index that SQLite itself makes of a primary key: none of the table's own. */
const keyIndexOf = ({ name, key }: TableSchema): IndexSchema => ({
  name: `sqlite_autoindex_${name}_1`,
  columns: key,
});

/**
 * Finds the index of a query's order, see `orderIndexOf`. That of the key is one where the filter compares columns, as
 * a scope does: SQLite would sooner find all rows of a state and sort them. What a filter computes may have an index.
 */
export function orderIndexes(
  table: TableSchema,
  rowsOf: RowsOf,
): (query: BoundQuery) => IndexSchema | undefined {
  const withKey = { ...table, indexes: [...table.indexes, keyIndexOf(table)] };
  return (query) => orderIndexOf(query, isCheap(query.filter) ? withKey : table, rowsOf);
}
