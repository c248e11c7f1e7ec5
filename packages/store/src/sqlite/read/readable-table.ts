import {
  type BoundNode,
  type BoundQuery,
  type Column,
  type Compiler,
  cachedCompiler,
  identifier,
  type Mapping,
  type SqlFragment,
  sql,
  sqlite,
} from "@cadastre/odata";
import { conjuncts } from "@cadastre/odata/tree";
import { type Access, accessTo, mappingInOrderOf, type RowsOf } from "../../read/access.ts";
import { ChangedCompilers } from "../../read/changed-compiler.ts";
import type { ReadableTable } from "../../read/compile.ts";
import { type CurrentCompiler, CurrentCompilers } from "../../read/current-compiler.ts";
import { type ByIndex, versionMapping } from "../../read/versions.ts";
import type { IndexSchema, StoredTable, TableSchema } from "../../schema/table.ts";
import { sqliteColumns, sqliteForms } from "../layout/columns.ts";
import { deadlineGuard, visitGuard } from "./deadline.ts";
import { gramIndexOf, spatialIndexOf } from "./search-indexes.ts";

/** True if the node only compares columns and constants. */
function isPlainComparison(node: BoundNode): boolean {
  switch (node.kind) {
    case "Constant":
    case "Property":
      return true;
    case "Compare":
      return isPlainComparison(node.left) && isPlainComparison(node.right);
    case "Membership":
      return isPlainComparison(node.operand) && node.values.every(isPlainComparison);
    case "Logical":
      return node.operands.every(isPlainComparison);
    case "Not":
      return isPlainComparison(node.operand);
    default:
      return false;
  }
}

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
function accessOf(table: TableSchema, rowsOf: RowsOf): (query: BoundQuery) => Access {
  const withKey = { ...table, indexes: [...table.indexes, keyIndexOf(table)] };
  const bounds = boundsIn(table);
  const isByKey = (filter: BoundNode) => isPlainComparison(filter) && !conjuncts(filter).some(bounds);
  return (query) => accessTo(query, isByKey(query.filter) ? withKey : table, rowsOf);
}

/** Forces an index, because SQLite estimates that any range matches a quarter of the table. */
const indexedBy: ByIndex = (table, index) => sql`${table} indexed by ${identifier(index)}`;

/** @param dataset column of the dataset, see `datasetColumn` */
export function createSqliteTable(
  { table, members }: StoredTable,
  dataset: Column,
  rowsOf: RowsOf,
): ReadableTable {
  const mapping = versionMapping(
    table,
    sqliteColumns(table, dataset),
    { pointIndexOf: spatialIndexOf, textIndexOf: gramIndexOf },
    indexedBy,
    deadlineGuard,
    identifier("rowid"),
  );
  return {
    table,
    members,
    mapping,
    forms: sqliteForms,
    compilers: new CurrentCompilers(
      (columns) => sqliteCompiler(mapping.current, columns),
      table,
      mapping.current,
      sqliteForms,
    ),
    changed: new ChangedCompilers(table, mapping, sqliteForms),
    accessTo: accessOf(table, rowsOf),
  };
}

/**
 * Creates the compiler of queries over the current versions of a table, with a cache by query shape. Pages have variants for reading in
 * the order of an index and for few rows; counts have one without the guard.
 */
function sqliteCompiler(mapping: Mapping, columns: readonly SqlFragment[]): CurrentCompiler {
  const compilerOf = (over: Mapping) => cachedCompiler(sqlite, over, { columns });
  const { page, count } = compilerOf({ ...mapping, ranges: false });
  const { page: ofFew } = compilerOf({ ...mapping, ranges: false, readsFewRows: true });
  const { count: unguarded } = cachedCompiler(sqlite, { from: mapping.from, column: mapping.column });
  const byIndex = new Map<string, Compiler>();
  return {
    page: (query, { few }) => (few ? ofFew : page)(query),
    count,
    ordered: (query, index) => {
      const compiler =
        byIndex.get(index.name) ?? compilerOf(mappingInOrderOf(index, by(index.name, mapping)));
      byIndex.set(index.name, compiler);
      return compiler.page(query);
    },
    unguarded: (query) => (isPlainComparison(query.filter) ? unguarded(query) : undefined),
  };
}

/** The trigram indexes are left out: they would be asked for all matches, although the first of them in this order are enough. */
const by = (index: string, { from, column }: Mapping): Mapping => ({
  from: indexedBy(from, index),
  column: (property) => {
    const { texts: _texts, ...plain } = column(property);
    return plain;
  },
  where: visitGuard,
});
