import type { BoundNode, BoundQuery } from "../bound/tree.ts";
import { LruCache } from "../lru-cache/index.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { CompiledSql, SqlFragment } from "../sql/fragment.ts";
import type { Mapping } from "./mapping.ts";
import { mergedPageOf } from "./partitions.ts";
import { countOf, type PageOptions, pageOf } from "./query.ts";
import { type Compile, type StatementTemplate, statementTemplateOf } from "./statement-template.ts";
import { valuesOf } from "./value-source.ts";

/** Maximum number of nodes that are hashed: enough to tell most queries apart. */
const budget = 48;

const mixed = (hash: number, part: number): number => (Math.imul(hash, 31) + part) | 0;

/** Hashes a name by its length and four of its letters. */
function textHash(text: string, seed: number): number {
  const { length } = text;
  let hash = mixed(seed, length);
  for (let i = 1; i <= 4; i += 1) hash = mixed(hash, text.charCodeAt(((length - 1) * i) >> 2));
  return hash;
}

/**
 * Hashes the shape of a filter and an order. The hash is equal for queries of the same shape, and rarely equal for
 * others.
 */
function hashOf({ filter, orderBy }: BoundQuery): number {
  let left = budget;
  let hash = orderBy.length;
  const visit = (node: BoundNode): void => {
    if (left <= 0) return;
    left -= 1;
    hash = mixed(hash, node.kind.length * 31 + node.kind.charCodeAt(0));
    switch (node.kind) {
      case "Property":
      case "Structure":
        hash = textHash(node.property.name, hash);
        if (node.base !== undefined) visit(node.base);
        return;
      case "Call":
        hash = textHash(node.entry.name, hash);
        for (const arg of node.args) visit(arg);
        return;
      case "Compare":
        hash = textHash(node.comparator, hash);
        visit(node.left);
        visit(node.right);
        return;
      case "Membership":
        hash = mixed(hash, node.values.length);
        visit(node.operand);
        return;
      case "Logical":
        hash = mixed(hash, node.operands.length);
        // From the last operand: the conditions that an access scope adds come first, and are the same in many
        // queries.
        for (let i = node.operands.length - 1; i >= 0; i -= 1) visit(node.operands[i] as BoundNode);
        return;
      case "Not":
        visit(node.operand);
        return;
      case "Lambda":
      case "Size":
        visit(node.collection);
        if (node.predicate !== null) visit(node.predicate);
        return;
      default:
        return;
    }
  };
  visit(filter);
  for (const { expression, direction } of orderBy) {
    hash = mixed(hash, direction.length);
    visit(expression);
  }
  return hash;
}

export type CompilerOptions = PageOptions & {
  /** Maximum number of cached shapes, for pages and for counts each. The least recently used one is evicted first. */
  readonly capacity?: number;
};

/** Number of shapes that a compiler caches by default. */
const shapesByDefault = 500;

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
  { capacity = shapesByDefault, ...options }: CompilerOptions = {},
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
 * Returns {@link compileMergedPage} over the same tables with such a cache.
 *
 * @param columns the columns to select from a table, whatever the query is
 */
export const cachedMergedCompiler = (
  dialect: Dialect,
  partitions: readonly Mapping[],
  columns: (partition: Mapping) => readonly SqlFragment[],
): Compiler["page"] =>
  remembering(
    (query, values) => mergedPageOf(query, values, dialect, partitions, columns),
    false,
    shapesByDefault,
  );

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
