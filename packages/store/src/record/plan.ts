import { datasetProperty } from "@cadastre/entitlement/resources";
import type { BoundNode, Projection } from "@cadastre/odata";
import type { Member } from "./members.ts";

/** What a record shows, and in what form. Plain data: a plan goes to another thread as it is. */
export type RecordPlan = {
  /** In the order of the members' numbers. */
  readonly slots: readonly Slot[];
  /** Conditions on the dataset that slots refer to by position. */
  readonly conditions: readonly BoundNode[];
  /** Whether members without a value are written out. An empty collection always is. */
  readonly nulls: boolean;
};

type Slot = {
  readonly name: string;
  readonly ordinal: number;
  readonly collection: boolean;
  /** Position of the condition under which the member is shown; -1: always. */
  readonly condition: number;
};

/** A plan, and the number that it is known by. */
export type PlanRef = { readonly id: number; readonly plan: RecordPlan };

/** A {@link PlanRef} to a reader that may have seen the plan. */
export type SeenPlanRef = Pick<PlanRef, "id"> & Partial<PlanRef>;

/** A member whose value is not the record's own, but computed by the query. */
export type Computed = Projection;

/** The plan of a selection, and what of it the record does not hold. */
export function planRecord(
  select: readonly Projection[],
  members: ReadonlyMap<string, Member>,
  nulls: boolean,
): { readonly plan: RecordPlan; readonly computed: readonly Computed[] } {
  const slots: Slot[] = [];
  const conditions: BoundNode[] = [];
  const positions = new Map<string, number>();
  const computed: Computed[] = [];
  for (const projection of select) {
    const { property, expression } = projection;
    const member = members.get(property.name);
    const shown = member === undefined ? undefined : conditionOf(expression, property.name);
    if (member === undefined || shown === undefined) {
      computed.push(projection);
      continue;
    }
    const slot = { name: property.name, ordinal: member.ordinal, collection: property.collection };
    slots.push({ ...slot, condition: shown === null ? -1 : positionOf(shown, conditions, positions) });
  }
  slots.sort((a, b) => a.ordinal - b.ordinal);
  return { plan: { slots, conditions, nulls }, computed };
}

function positionOf(condition: BoundNode, conditions: BoundNode[], positions: Map<string, number>): number {
  const text = JSON.stringify(condition);
  const known = positions.get(text);
  if (known !== undefined) return known;
  positions.set(text, conditions.length);
  return conditions.push(condition) - 1;
}

/** When the record's own value is shown; null: always. Undefined where the value is another. */
function conditionOf(expression: BoundNode, name: string): BoundNode | null | undefined {
  if (expression.kind === "Property" && expression.base === undefined && expression.property.name === name)
    return null;
  if (expression.kind !== "Choice" || expression.otherwise !== undefined) return undefined;
  const { when, value } = expression;
  return conditionOf(value, name) === null && isOfDataset(when) ? when : undefined;
}

/** Whether the condition reads nothing but the dataset, and is data through and through. */
function isOfDataset(node: BoundNode): boolean {
  switch (node.kind) {
    case "Constant":
      return node.value === null || typeof node.value === "string" || typeof node.value === "boolean";
    case "Property":
      return node.property === datasetProperty;
    case "Compare":
      return isOfDataset(node.left) && isOfDataset(node.right);
    case "Membership":
      return isOfDataset(node.operand) && node.values.every(isOfDataset);
    case "Logical":
      return node.operands.every(isOfDataset);
    default:
      return false;
  }
}
