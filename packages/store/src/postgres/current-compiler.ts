import type { Mapping, SqlFragment } from "@cadastre/odata";
import { type CurrentCompiler, currentCompiler } from "../read/current-compiler.ts";
import type { TableSchema } from "../schema/table.ts";
import { forms } from "./columns.ts";

/** Compiles queries over the current versions of a table, page after page in ranges where an index has their order. */
export function postgresCompiler(
  table: TableSchema,
  mapping: Mapping,
  computed: readonly SqlFragment[],
): CurrentCompiler {
  const { page, count } = currentCompiler(table, { ...mapping, ranges: false }, forms, computed);
  const { page: inRanges } = currentCompiler(table, { ...mapping, ranges: true }, forms, computed);
  return { page: (query, { ordered }) => (ordered === undefined ? page : inRanges)(query), count };
}
