import { mapChildren } from "../bound/rewrite.ts";
import type { BoundNode } from "../bound/tree.ts";
import { defaultLimits, tooComplex } from "../syntax/limits.ts";
import type { Span } from "../syntax/tree.ts";
import type { ApplyStep } from "./bound-apply.ts";
import { expressionsOf } from "./rewrite-apply.ts";

/**
 * Refuses transformations whose statement would be too large. Each branch of `concat` contains the steps before it once more, and computed
 * properties may be used many times.
 *
 * @param others expressions that are compiled besides those of the steps
 * @throws {QueryError} `query_too_complex`
 */
export function checkApplySize(steps: readonly ApplyStep[], others: readonly BoundNode[], span: Span): void {
  const known = new Map<BoundNode, number>();
  const sizeOf = (node: BoundNode): number => {
    const found = known.get(node);
    if (found !== undefined) return found;
    let size = 1;
    mapChildren(node, (child) => {
      size += sizeOf(child);
      return child;
    });
    known.set(node, size);
    return size;
  };
  const sum = (nodes: readonly BoundNode[]): number => nodes.reduce((total, node) => total + sizeOf(node), 0);
  /** Size of the statement after `all`, if it is `before` before them. */
  const sizeAfter = (all: readonly ApplyStep[], before: number): number =>
    all.reduce((size, step) => {
      const parts = step.kind === "Limit" ? step.partition.length : 0;
      if (step.kind !== "Concat") return size + parts + sum(expressionsOf([step]));
      const own = step.branches.map((branch) => ({ ...branch, steps: [] }));
      return step.branches.reduce(
        (total, branch) => total + sizeAfter(branch.steps, size),
        sum(expressionsOf([{ ...step, branches: own }])),
      );
    }, before);
  if (sizeAfter(steps, 0) + sum(others) > defaultLimits.nodes) throw tooComplex(defaultLimits, "nodes", span);
}
