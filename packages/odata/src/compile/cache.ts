import type { BoundQuery } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import { hashOf } from "./hash.ts";
import type { Mapping } from "./mapping.ts";
import { countOf, type PageOptions, pageOf } from "./query.ts";
import { type Compile, type Template, templateOf } from "./template.ts";
import { valuesOf } from "./value-source.ts";

export type CompilerOptions = PageOptions & {
  /** Shapes kept, of pages and of counts each; the one that was asked for the longest ago leaves first. */
  readonly capacity?: number;
};

/** Compiles the queries of one mapping. */
export type Compiler = {
  /** As {@link compilePage}. */
  readonly page: (query: BoundQuery) => CompiledSql;
  /** As {@link compileCount}. */
  readonly count: (query: BoundQuery) => CompiledSql;
};

/**
 * A compiler that remembers the shapes of queries: one that differs from an earlier query only in its constants, in
 * `top`, or in the values of `skip` and `after`, is not compiled again. The statement is the same.
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

/** Shapes of one hash. Beyond so many its queries differ in what no template can tell, and are compiled each time. */
const sameHash = 4;

function remembering(
  compile: Compile,
  projected: boolean,
  capacity: number,
): (query: BoundQuery) => CompiledSql {
  const shapes = new Map<number, Template[]>();
  let newest: readonly Template[] | undefined;
  return (query) => {
    const hash = hashOf(query);
    const known = shapes.get(hash) ?? [];
    if (known !== newest) {
      shapes.delete(hash);
      shapes.set(hash, known);
      newest = known;
      const [oldest] = shapes.keys();
      if (shapes.size > capacity && oldest !== undefined) shapes.delete(oldest);
    }
    for (const template of known) {
      const compiled = template(query);
      if (compiled !== undefined) return compiled;
    }
    const compiled = compile(query, valuesOf(query));
    if (known.length < sameHash) known.push(templateOf(query, compile, projected));
    return compiled;
  };
}
