import type { BoundQuery, CompiledSql, Mapping, SqlFragment } from "@cadastre/odata";
import type { Planned } from "../record/plan.ts";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import type { Access } from "./access.ts";
import { columnsOfPage, columnsOfRecord, type ReadForms, showsNothing } from "./forms.ts";

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

/** Caches compilers by selection, because the columns are part of their statements. */
export class CurrentCompilers {
  /** Compiler for selections without computed columns. */
  readonly plain: CurrentCompiler;
  readonly #make: (columns: readonly SqlFragment[]) => CurrentCompiler;
  readonly #columns: (query: BoundQuery, planned: Planned) => readonly SqlFragment[];
  readonly #known = new WeakMap<Planned, CurrentCompiler>();
  #ofKeys: CurrentCompiler | undefined;

  /** @param make creates the compiler of pages that select some columns */
  constructor(
    make: (columns: readonly SqlFragment[]) => CurrentCompiler,
    table: TableSchema,
    mapping: Mapping,
    forms: ReadForms,
  ) {
    this.#make = make;
    this.#columns = (query, planned) => columnsOfPage(query, planned, table, forms, mapping);
    this.plain = make(columnsOfRecord(table, forms));
  }

  /** Returns the compiler of a selection, from the cache if the selection was used before. */
  of(query: BoundQuery, planned: Planned): CurrentCompiler {
    if (showsNothing(planned)) {
      this.#ofKeys ??= this.#make(this.#columns(query, planned));
      return this.#ofKeys;
    }
    if (planned.computed.length === 0) return this.plain;
    const known = this.#known.get(planned);
    if (known !== undefined) return known;
    const compiler = this.#make(this.#columns(query, planned));
    this.#known.set(planned, compiler);
    return compiler;
  }
}
