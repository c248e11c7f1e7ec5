import { deepestNesting, defaultLimits, tooComplex, tooDeep } from "../syntax/limits.ts";
import type { Span } from "../syntax/tree.ts";
import { mapChildren } from "./rewrite.ts";
import type { BoundNode } from "./tree.ts";

type Size = { readonly nodes: number; readonly depth: number };

/**
 * Refuses trees that together are too large. Computed properties may be used many times, also by each other, so
 * that a text of a few words can expand to millions of nodes.
 *
 * @throws {QueryError} `query_too_complex`
 */
export function checkSize(trees: readonly BoundNode[], span: Span): void {
  const sizeByNode = new Map<BoundNode, Size>();
  const sizeOf = (node: BoundNode): Size => {
    const found = sizeByNode.get(node);
    if (found !== undefined) return found;
    let [nodes, depth] = [1, 0];
    mapChildren(node, (child) => {
      const size = sizeOf(child);
      nodes += size.nodes;
      depth = Math.max(depth, size.depth);
      return child;
    });
    const size = { nodes, depth: depth + 1 };
    sizeByNode.set(node, size);
    return size;
  };
  const sizes = trees.map(sizeOf);
  if (sizes.reduce((sum, { nodes }) => sum + nodes, 0) > defaultLimits.nodes)
    throw tooComplex(defaultLimits, "nodes", span);
  if (sizes.some(({ depth }) => depth > deepestNesting)) throw tooDeep(deepestNesting, span);
}

/**
 * Maximum depth of a tree. SQLite accepts about 800 levels, and the conditions that restrict the query need some of
 * them.
 */
const deepestTree = 600;

/**
 * Refuses a tree that is too deep: `1 add 1 add 1 …` has no parentheses, but one level per operator.
 *
 * @throws {QueryError} `query_too_complex`
 */
export function checkDepth(tree: BoundNode, span: Span): void {
  let depth = 0;
  const visit = (node: BoundNode): BoundNode => {
    depth += 1;
    if (depth > deepestTree) throw tooDeep(deepestTree, span);
    mapChildren(node, visit);
    depth -= 1;
    return node;
  };
  visit(tree);
}
