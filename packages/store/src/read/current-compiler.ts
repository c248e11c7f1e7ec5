import {
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  type Mapping,
} from "@cadastre/odata";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import { columnsOfRecord, type ReadForms } from "./forms.ts";

/**
 * Compiles queries over the current versions, with the columns of a record that computes nothing. `index` is the one that
 * holds the rows in the query's order.
 */
export type CurrentCompiler = {
  readonly page: (query: BoundQuery, index: IndexSchema | undefined) => CompiledSql;
  readonly count: (query: BoundQuery) => CompiledSql;
  /** See `PageRequest.ordered`. */
  readonly ordered?: (query: BoundQuery, index: IndexSchema) => CompiledSql;
  /** See `CountRequest.unguarded`. */
  readonly unguarded?: (query: BoundQuery) => CompiledSql | undefined;
};

/** A compiler that remembers the shapes of queries. */
export const currentCompiler = (table: TableSchema, mapping: Mapping, forms: ReadForms): Compiler =>
  cachedCompiler(forms.dialect, mapping, { columns: columnsOfRecord(table, forms) });
