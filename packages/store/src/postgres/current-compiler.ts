import type { Compiler, Mapping, SqlFragment } from "@cadastre/odata";
import { orderedBy } from "../read/access.ts";
import { type CurrentCompiler, currentCompiler } from "../read/current-compiler.ts";
import type { TableSchema } from "../schema/table.ts";
import { postgresForms } from "./columns.ts";

/** Creates the compiler of queries over the current versions of a table. Pages in the order of an index use ranges of that index. */
export function postgresCompiler(
  table: TableSchema,
  mapping: Mapping,
  computed: readonly SqlFragment[],
): CurrentCompiler {
  const { page, count } = currentCompiler(table, { ...mapping, ranges: false }, postgresForms, computed);
  const byIndex = new Map<string, Compiler>();
  return {
    page: (query, { ordered: index }) => {
      if (index === undefined) return page(query);
      const compiler =
        byIndex.get(index.name) ?? currentCompiler(table, orderedBy(index, mapping), postgresForms, computed);
      byIndex.set(index.name, compiler);
      return compiler.page(query);
    },
    count,
  };
}
