import {
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  type Mapping,
  type SqlFragment,
} from "@cadastre/odata";
import type { Planned } from "../record/plan.ts";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import type { Access } from "./access.ts";
import { columnsOfRecord, type ReadForms } from "./forms.ts";

/**
 * Returns the query for the rows that follow a position.
 *
 * @param after values of the `orderBy` expressions in the last row before the position
 */
export const withPosition = (query: BoundQuery, after: BoundQuery["after"]): BoundQuery => ({
  ...query,
  after,
});

/** Returns the query for its first record only. */
export const firstOf = (query: BoundQuery): BoundQuery => ({ ...query, top: 1 });

/** Compiles queries on the current versions, for one selection of computed columns. */
export type CurrentCompiler = {
  readonly page: (query: BoundQuery, access: Access) => CompiledSql;
  readonly count: (query: BoundQuery) => CompiledSql;
  /** See `PageRequest.ordered`. */
  readonly ordered?: (query: BoundQuery, index: IndexSchema) => CompiledSql;
  /** See `CountRequest.unguarded`. */
  readonly unguarded?: (query: BoundQuery) => CompiledSql | undefined;
};

/**
 * Creates a compiler that caches statements by query shape.
 *
 * @param computed expressions selected besides the columns of a record
 */
export const currentCompiler = (
  table: TableSchema,
  mapping: Mapping,
  forms: ReadForms,
  computed: readonly SqlFragment[],
): Compiler =>
  cachedCompiler(forms.dialect, mapping, { columns: [...columnsOfRecord(table, forms), ...computed] });

/** Caches compilers by selection, because the computed columns are part of their statements. */
export class CurrentCompilers {
  /** Compiler for selections without computed columns. */
  readonly plain: CurrentCompiler;
  readonly #make: (computed: readonly SqlFragment[]) => CurrentCompiler;
  readonly #columns: (query: BoundQuery, planned: Planned) => readonly SqlFragment[];
  readonly #known = new WeakMap<Planned, CurrentCompiler>();

  constructor(
    make: (computed: readonly SqlFragment[]) => CurrentCompiler,
    mapping: Mapping,
    forms: ReadForms,
  ) {
    this.#make = make;
    this.#columns = (query, { computed }) =>
      computed.map((projection) => forms.computed(query, projection, mapping));
    this.plain = make([]);
  }

  /** Returns the compiler of a selection, from the cache if the selection was used before. */
  of(query: BoundQuery, planned: Planned): CurrentCompiler {
    if (planned.computed.length === 0) return this.plain;
    const known = this.#known.get(planned);
    if (known !== undefined) return known;
    const compiler = this.#make(this.#columns(query, planned));
    this.#known.set(planned, compiler);
    return compiler;
  }
}
