import {
  type BoundQuery,
  type Compiler,
  cachedCompiler,
  type Mapping,
  postgres,
  type SqlFragment,
} from "@cadastre/odata";
import { accessTo, mappingInOrderOf } from "../../read/access.ts";
import { ChangedCompilers } from "../../read/changed-compiler.ts";
import type { ReadableTable } from "../../read/compile.ts";
import { type CurrentCompiler, CurrentCompilers } from "../../read/current-compiler.ts";
import { versionMapping } from "../../read/versions.ts";
import type { StoredTable } from "../../schema/table.ts";
import { pointIndexOf, postgresColumns, postgresForms, textIndexOf } from "../layout/columns.ts";
import { ClosedSinceCache } from "./closed-since-cache.ts";

/** A stored resource of a PostgreSQL store. */
export type PostgresTable = ReadableTable & { readonly closings: ClosedSinceCache };

/** Row estimate that makes `accessTo` never expect few rows: PostgreSQL's planner has statistics, and picks the best index per range. */
const unlimited = () => Number.POSITIVE_INFINITY;

export function createPostgresTable({ table, members }: StoredTable): PostgresTable {
  const mapping = versionMapping(table, postgresColumns(table), { pointIndexOf, textIndexOf });
  return {
    table,
    members,
    mapping,
    forms: postgresForms,
    compilers: new CurrentCompilers(
      (columns) => postgresCompiler(mapping.current, columns),
      table,
      mapping.current,
      postgresForms,
    ),
    changed: new ChangedCompilers(table, mapping, postgresForms),
    accessTo: (query: BoundQuery) => accessTo(query, table, unlimited),
    closings: new ClosedSinceCache(),
  };
}

/** Creates the compiler of queries over the current versions of a table. Pages in the order of an index use ranges of that index. */
function postgresCompiler(mapping: Mapping, columns: readonly SqlFragment[]): CurrentCompiler {
  const compilerOf = (over: Mapping) => cachedCompiler(postgres, over, { columns });
  const { page, count } = compilerOf({ ...mapping, ranges: false });
  const byIndex = new Map<string, Compiler>();
  return {
    page: (query, { ordered: index }) => {
      if (index === undefined) return page(query);
      const compiler = byIndex.get(index.name) ?? compilerOf(mappingInOrderOf(index, mapping));
      byIndex.set(index.name, compiler);
      return compiler.page(query);
    },
    count,
  };
}
