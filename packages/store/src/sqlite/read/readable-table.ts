import {
  type Column,
  type Compiler,
  cachedCompiler,
  identifier,
  type Mapping,
  type SqlFragment,
  sql,
  sqlite,
} from "@cadastre/odata";
import { orderedBy, type RowsOf } from "../../read/access.ts";
import type { ReadableTable } from "../../read/compile.ts";
import { type CurrentCompiler, CurrentCompilers, currentCompiler } from "../../read/current-compiler.ts";
import { type ByIndex, versionMapping } from "../../read/versions.ts";
import type { StoredTable, TableSchema } from "../../schema/table.ts";
import { sqliteColumns, sqliteForms } from "../layout/columns.ts";
import { spatialIndexOf } from "../layout/places.ts";
import { accessOf } from "./access.ts";
import { deadlineGuard, visitGuard } from "./deadline.ts";
import { isPlainComparison } from "./plain-comparison.ts";

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
    spatialIndexOf,
    indexedBy,
    deadlineGuard,
  );
  return {
    table,
    members,
    mapping,
    forms: sqliteForms,
    compilers: new CurrentCompilers(
      (computed) => sqliteCompiler(table, mapping.current, computed),
      mapping.current,
      sqliteForms,
    ),
    accessTo: accessOf(table, rowsOf),
  };
}

/**
 * Creates the compiler of queries over the current versions of a table, with a cache by query shape. Pages have variants for reading in
 * the order of an index and for few rows; counts have one without the guard.
 */
function sqliteCompiler(
  table: TableSchema,
  mapping: Mapping,
  computed: readonly SqlFragment[],
): CurrentCompiler {
  const compilerOf = (over: Mapping) => currentCompiler(table, over, sqliteForms, computed);
  const { page, count } = compilerOf({ ...mapping, ranges: false });
  const { page: ofFew } = compilerOf({ ...mapping, ranges: false, readsFewRows: true });
  const { count: unguarded } = cachedCompiler(sqlite, { from: mapping.from, column: mapping.column });
  const byIndex = new Map<string, Compiler>();
  return {
    page: (query, { few }) => (few ? ofFew : page)(query),
    count,
    ordered: (query, index) => {
      const compiler = byIndex.get(index.name) ?? compilerOf(orderedBy(index, by(index.name, mapping)));
      byIndex.set(index.name, compiler);
      return compiler.page(query);
    },
    unguarded: (query) => (isPlainComparison(query.filter) ? unguarded(query) : undefined),
  };
}

const by = (index: string, { from, column }: Mapping): Mapping => ({
  from: indexedBy(from, index),
  column,
  where: visitGuard,
});
