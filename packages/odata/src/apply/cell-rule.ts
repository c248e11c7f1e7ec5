import { allOf, type BoundNode, constant } from "../bound/tree.ts";
import type { ApplyStep, CellRule } from "./bound-apply.ts";

/** Returns the condition of the entities that the filters of a rule leave out; undefined without filters. */
export function leftOut({ rows, passed }: CellRule): BoundNode | undefined {
  if (passed.kind === "Constant" && passed.value === true) return undefined;
  const isLeft: BoundNode = {
    kind: "Choice",
    type: "Edm.Boolean",
    when: passed,
    value: constant(false),
    otherwise: constant(true),
  };
  return allOf(rows, isLeft);
}

/** True if a number of entities may be told of: none, or enough of them. */
export const isTellable = (count: number, { least }: Pick<CellRule, "least">): boolean =>
  count === 0 || count >= least;

/** Adds the rule to the steps that group entities. Groups of groups are large enough if these are. */
export function withCellRule(
  steps: readonly ApplyStep[],
  { least, rows, passed }: CellRule,
): readonly ApplyStep[] {
  const filters = [passed];
  let isEntities = true;
  return steps.map((step) => {
    if (!isEntities) return step;
    const rule: CellRule = { least, rows, passed: allOf(...filters) };
    if (step.kind === "Limit") return step;
    if (step.kind === "Filter") {
      filters.push(step.condition);
      return step;
    }
    isEntities = false;
    if (step.kind === "Group") return { ...step, cells: rule };
    const branches = step.branches.map((branch) => ({ ...branch, steps: withCellRule(branch.steps, rule) }));
    return { ...step, branches };
  });
}
