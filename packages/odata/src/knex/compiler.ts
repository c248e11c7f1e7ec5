import type { BoundQuery } from "../bound/tree.ts";
import { type CompilerOptions, cachedCompiler } from "../compile/cache.ts";
import type { Mapping } from "../compile/mapping.ts";
import type { Dialect, DialectName } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";

/** The part of a knex instance, or of one of its transactions, that is needed here. */
export type RawHost<Raw> = { raw(text: string, bindings: Bindings): Raw };

type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Compiles the queries of one mapping to what `knex.raw` gives: to be awaited, or to be part of a larger statement. */
export type KnexCompiler = {
  /** As `compilePage`. */
  readonly page: <Raw>(knex: RawHost<Raw>, query: BoundQuery) => Raw;
  /** As `compileCount`. */
  readonly count: <Raw>(knex: RawHost<Raw>, query: BoundQuery) => Raw;
};

/** As `cachedCompiler`, for a knex whose client is of this dialect. */
export function knexCompiler(dialect: Dialect, mapping: Mapping, options?: CompilerOptions): KnexCompiler {
  const { page, count } = cachedCompiler({ ...dialect, placeholder: () => gap }, mapping, options);
  const hand = <Raw>(knex: RawHost<Raw>, { text, values }: CompiledSql): Raw =>
    knex.raw(...forms[dialect.name](text.split(gap), values));
  return {
    page: (knex, query) => hand(knex, page(query)),
    count: (knex, query) => hand(knex, count(query)),
  };
}

/** Where a value goes. No statement holds this character: a database takes it for the end. */
const gap = "\0";

/** The arguments of `knex.raw` for the pieces of SQL between values. */
type Form = (pieces: readonly string[], values: readonly unknown[]) => readonly [string, Bindings];

/**
 * knex takes every question mark for a value, but one behind a backslash, which only its PostgreSQL client takes away
 * again. For SQLite values have names instead, and what looks like a name gets the backslash.
 */
const forms: Readonly<Record<DialectName, Form>> = {
  postgres: (pieces, values) => {
    if (pieces.some((piece) => piece.includes("\\?")))
      throw new Error("knex cannot hand on a backslash before a question mark");
    return [pieces.map((piece) => piece.replaceAll("?", "\\?")).join("?"), values];
  },
  sqlite: (pieces, values) => [
    pieces
      .map((piece) => piece.replaceAll(/:(?=\w)/g, "\\:"))
      .reduce((before, piece, i) => `${before}:v${i}${piece}`),
    Object.fromEntries(values.map((value, i) => [`v${i + 1}`, value])),
  ],
};
