import type { BoundQuery } from "../bound/tree.ts";
import { LruCache } from "../lru-cache/index.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import { hashOf } from "./hash.ts";
import type { Mapping } from "./mapping.ts";
import { countOf, type PageOptions, pageOf } from "./query.ts";
import { type Compile, type StatementTemplate, statementTemplateOf } from "./statement-template.ts";
import { valuesOf } from "./value-source.ts";

export type CompilerOptions = PageOptions & {
  /** Maximum number of cached shapes, for pages and for counts each. The least recently used one is evicted first. */
  readonly capacity?: number;
};

/** Compiles queries over one mapping. */
export type Compiler = {
  /** See {@link compilePage}. */
  readonly page: (query: BoundQuery) => CompiledSql;
  /** See {@link compileCount}. */
  readonly count: (query: BoundQuery) => CompiledSql;
};

/**
 * Returns a compiler with an LRU cache of query shapes: a query that differs from an earlier one only in its
 * constants, in `top`, or in the values of `skip` and `after`, is not compiled again. The resulting statement is
 * the same as without the cache.
 */
export function cachedCompiler(
  dialect: Dialect,
  mapping: Mapping,
  { capacity = 500, ...options }: CompilerOptions = {},
): Compiler {
  const count = remembering((query, values) => countOf(query, values, dialect, mapping), false, capacity);
  return {
    page: remembering(
      (query, values) => pageOf(query, values, dialect, mapping, options),
      options.columns === undefined,
      capacity,
    ),
    count: (query) => count({ ...query, orderBy: [], after: null, skip: 0 }),
  };
}

/**
 * Maximum number of templates with the same hash. Queries beyond it differ in something that templates cannot
 * parameterise, and are compiled each time.
 */
const sameHash = 4;

function remembering(
  compile: Compile,
  projected: boolean,
  capacity: number,
): (query: BoundQuery) => CompiledSql {
  const shapes = new LruCache<number, StatementTemplate[]>(capacity);
  return (query) => {
    const known = shapes.get(hashOf(query), () => []);
    for (const template of known) {
      const compiled = template(query);
      if (compiled !== undefined) return compiled;
    }
    const compiled = compile(query, valuesOf(query));
    if (known.length < sameHash) known.push(statementTemplateOf(query, compile, projected));
    return compiled;
  };
}
