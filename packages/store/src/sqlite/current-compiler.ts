import {
  type Compiler,
  cachedCompiler,
  identifier,
  type Mapping,
  type SqlFragment,
  sql,
  sqlite,
} from "@cadastre/odata";
import { orderedBy } from "../read/access.ts";
import { type CurrentCompiler, currentCompiler } from "../read/current-compiler.ts";
import type { TableSchema } from "../schema/table.ts";
import { sqliteForms } from "./columns.ts";
import { visitGuard } from "./deadline.ts";
import { isPlainComparison } from "./plain-comparison.ts";

/**
 * Creates the compiler of queries over the current versions of a table, with a cache by query shape. Pages have variants for reading in
 * the order of an index and for few rows; counts have one without the guard.
 */
export function sqliteCompiler(
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
  from: sql`${from} indexed by ${identifier(index)}`,
  column,
  where: visitGuard,
});
