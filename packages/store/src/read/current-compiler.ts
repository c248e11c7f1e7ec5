import { type BoundQuery, type CompiledSql, cachedCompiler, type Mapping } from "@cadastre/odata";
import type { TableSchema } from "../schema/table.ts";
import { columnsOfRecord, type ReadForms } from "./forms.ts";

/** Compiles queries over the current versions, with the columns of a record that computes nothing. */
export type CurrentCompiler = {
  readonly page: (query: BoundQuery) => CompiledSql;
  readonly count: (query: BoundQuery) => CompiledSql;
  /** See `PageRequest.ordered`. */
  readonly ordered?: (query: BoundQuery) => CompiledSql | undefined;
  /** See `CountRequest.unguarded`. */
  readonly unguarded?: (query: BoundQuery) => CompiledSql | undefined;
};

/** A compiler that remembers the shapes of queries. */
export const currentCompiler = (table: TableSchema, mapping: Mapping, forms: ReadForms): CurrentCompiler =>
  cachedCompiler(forms.dialect, mapping, { columns: columnsOfRecord(table, forms) });
