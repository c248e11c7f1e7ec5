import type { BoundQuery } from "../bound/tree.ts";
import { type CompilerOptions, cachedCompiler } from "../compile/cache.ts";
import type { Mapping } from "../compile/mapping.ts";
import type { Dialect, DialectName } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";

/** The part of a knex instance, or of one of its transactions, that this module uses. */
export type RawHost<Raw> = { raw(text: string, bindings: Bindings): Raw };

type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Compiles queries over one mapping to the result of `knex.raw`, which can be awaited or embedded in a larger
 * statement.
 */
export type KnexCompiler = {
  /** See `compilePage`. */
  readonly page: <Raw>(knex: RawHost<Raw>, query: BoundQuery) => Raw;
  /** See `compileCount`. */
  readonly count: <Raw>(knex: RawHost<Raw>, query: BoundQuery) => Raw;
};

/** Like `cachedCompiler`, for a knex whose client matches the dialect. */
export function knexCompiler(dialect: Dialect, mapping: Mapping, options?: CompilerOptions): KnexCompiler {
  const { page, count } = cachedCompiler(knexDialect(dialect), mapping, options);
  return {
    page: (knex, query) => rawOf(knex, dialect, page(query)),
    count: (knex, query) => rawOf(knex, dialect, count(query)),
  };
}

/** Returns the dialect in which statements are compiled for {@link rawOf} and {@link runByKnex}. */
export const knexDialect = (dialect: Dialect): Dialect => ({ ...dialect, placeholder: () => placeholder });

/** Placeholder of a value. It cannot occur in a statement, because databases read it as the end of the text. */
const placeholder = "\0";

/** Returns a statement, compiled in the {@link knexDialect}, as the result of `knex.raw`. */
export const rawOf = <Raw>(
  knex: RawHost<Raw>,
  { name }: Pick<Dialect, "name">,
  { text, values }: CompiledSql,
): Raw => knex.raw(...forms[name](text.split(placeholder), values));

/** Runs a statement, compiled in the {@link knexDialect}, and returns its rows: for the `run` of an `ExpandSource`. */
export async function runByKnex(
  knex: RawHost<PromiseLike<unknown>>,
  dialect: Pick<Dialect, "name">,
  statement: CompiledSql,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await rawOf(knex, dialect, statement);
  // The client of PostgreSQL returns the rows beside other facts.
  return (Array.isArray(result) ? result : (result as { readonly rows: unknown[] }).rows) as Readonly<
    Record<string, unknown>
  >[];
}

/** Returns the arguments of `knex.raw` for the pieces of SQL between the values. */
type Form = (pieces: readonly string[], values: readonly unknown[]) => readonly [string, Bindings];

/**
 * knex treats every question mark as a binding unless a backslash precedes it, and only its PostgreSQL client
 * removes the backslash again. For SQLite the values are therefore named, and each colon before a word character is
 * escaped with a backslash.
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
