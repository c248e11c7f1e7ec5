import { allOf, type BoundNode, type BoundOrderBy, constant } from "../bound/tree.ts";
import type { AppliedQuery, ApplyStep, BoundApply } from "./bound-apply.ts";
import { withCellRule } from "./cell-rule.ts";

type Rewrite = (node: BoundNode) => BoundNode;

/** Returns the expressions of steps, without the plain properties of rows, of which `concat` passes all on. */
export function expressionsOf(steps: readonly ApplyStep[]): readonly BoundNode[] {
  const found: BoundNode[] = [];
  mapSteps(steps, true, (node) => {
    if (node.kind !== "Property" || node.base !== undefined) found.push(node);
    return node;
  });
  return found;
}

/** True if the rows after a step are still what they were before it. */
const keepsRows = ({ kind }: ApplyStep): boolean => kind === "Filter" || kind === "Limit";

/** Replaces the expressions over entities; with `all`, also those over rows that are made of them. */
function mapSteps(steps: readonly ApplyStep[], all: boolean, rewrite: Rewrite): readonly ApplyStep[] {
  let isEntities = true;
  return steps.map((step) => {
    if (!isEntities && !all) return step;
    isEntities &&= keepsRows(step);
    return mapStep(step, all, rewrite);
  });
}

const mapOrder = (orderBy: readonly BoundOrderBy[], rewrite: Rewrite): readonly BoundOrderBy[] =>
  orderBy.map(({ expression, direction }) => ({ expression: rewrite(expression), direction }));

function mapStep(step: ApplyStep, all: boolean, rewrite: Rewrite): ApplyStep {
  switch (step.kind) {
    case "Filter":
      return { ...step, condition: rewrite(step.condition) };
    case "Limit":
      return {
        ...step,
        partition: step.partition.map(rewrite),
        orderBy: mapOrder(step.orderBy, rewrite),
      };
    case "Group":
      return {
        ...step,
        keys: step.keys.map((key) => ({ ...key, expression: rewrite(key.expression) })),
        aggregates: step.aggregates.map((one) => ({ ...one, operand: one.operand && rewrite(one.operand) })),
        condition: step.condition && rewrite(step.condition),
      };
    case "Concat":
      return {
        ...step,
        branches: step.branches.map((branch) => {
          // What follows a step that makes new rows is not about entities.
          const isAbout = all || branch.steps.every(keepsRows);
          const own: Rewrite = isAbout ? rewrite : (node) => node;
          return {
            steps: mapSteps(branch.steps, all, rewrite),
            orderBy: mapOrder(branch.orderBy, own),
            columns: branch.columns.map((node) => node && own(node)),
            structure: branch.structure,
          };
        }),
      };
  }
}

/** Entities of the first set that a caller may see, and what of them. */
export type ApplyRestriction = {
  /** Condition on the entities. */
  readonly rows: BoundNode;
  /** Replaces an expression over an entity, such as one of a masked property. */
  readonly rewrite: Rewrite;
  /** Least number of entities in a group, see {@link CellRule}. By default groups of any size are shown. */
  readonly least?: number;
};

/**
 * Restricts `$apply` and the query over its result to what a caller may see. The condition comes before all transformations, and every
 * expression over an entity is replaced, so that no aggregate contains what is hidden.
 */
export function restrictApplied(
  { apply, query, fields }: AppliedQuery,
  { rows, rewrite, least }: ApplyRestriction,
): AppliedQuery {
  const { output } = apply;
  const rewritten = mapSteps(apply.steps, false, rewrite);
  const steps =
    least === undefined ? rewritten : withCellRule(rewritten, { least, rows, passed: constant(true) });
  const restricted: BoundApply = {
    entitySet: apply.entitySet,
    steps: [{ kind: "Filter", condition: allOf(rows) }, ...steps],
    output: output.isEntities ? withoutExpressions(output, rewrite) : output,
  };
  if (!output.isEntities) return { apply: restricted, query, fields };
  return {
    apply: restricted,
    query: {
      entitySet: query.entitySet,
      filter: rewrite(query.filter),
      orderBy: mapOrder(query.orderBy, rewrite),
      select: query.select.map(({ property, expression }) => ({ property, expression: rewrite(expression) })),
      top: query.top,
      skip: query.skip,
      after: query.after,
    },
    fields,
  };
}

function withoutExpressions(output: BoundApply["output"], rewrite: Rewrite): BoundApply["output"] {
  return {
    ...output,
    columns: output.columns.map((column) => ({ ...column, expression: rewrite(column.expression) })),
    computed: new Map([...output.computed].map(([name, node]) => [name, rewrite(node)])),
    orderBy: mapOrder(output.orderBy, rewrite),
  };
}
