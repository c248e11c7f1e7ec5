import { datasetProperty } from "@cadastre/entitlement/resources";
import type { BoundNode, Projection, StructuralProperty } from "@cadastre/odata";
import type { ValueType } from "@cadastre/odata/run";
import type { Member } from "./members.ts";

/** The members that a record shows, and how. It is plain data, so that it can be sent to another thread. */
export type RecordPlan = {
  /** Sorted by ordinal. */
  readonly slots: readonly Slot[];
  /** Conditions on the dataset; slots refer to them by index. */
  readonly conditions: readonly BoundNode[];
  /** True to write members without a value as null. Empty collections are always written. */
  readonly nulls: boolean;
};

type Slot = {
  readonly name: string;
  readonly ordinal: number;
  readonly collection: boolean;
  /** Index of the condition under which the member is shown; -1 if it is always shown. */
  readonly condition: number;
};

/** A plan with an id, by which readers cache it. */
export type PlanRef = { readonly id: number; readonly plan: RecordPlan };

/** A {@link PlanRef} as sent to a reader. The plan is left out if the reader has it. */
export type SeenPlanRef = Pick<PlanRef, "id"> & Partial<PlanRef>;

/** A member whose value the query computes. */
export type ComputedMember = Projection;

/** Splits a selection into a plan for stored members and the projections to compute. */
export function planRecord(
  select: readonly Projection[],
  members: ReadonlyMap<string, Member>,
  nulls: boolean,
): { readonly plan: RecordPlan; readonly computed: readonly ComputedMember[] } {
  const slots: Slot[] = [];
  const conditions: BoundNode[] = [];
  const positions = new Map<string, number>();
  const computed: ComputedMember[] = [];
  for (const projection of select) {
    const { property, expression } = projection;
    const member = members.get(property.name);
    const shown = member === undefined ? undefined : conditionOf(expression, property.name);
    if (member === undefined || shown === undefined) {
      computed.push(projection);
      continue;
    }
    const condition = shown === null ? -1 : positionOf(shown, conditions, positions);
    slots.push({ name: property.name, ordinal: member.ordinal, collection: property.collection, condition });
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

/**
 * Returns the condition under which the stored value is shown; null if it is always shown. Undefined if the projection shows any
 * other value.
 */
function conditionOf(expression: BoundNode, name: string): BoundNode | null | undefined {
  if (expression.kind === "Property" && expression.base === undefined && expression.property.name === name)
    return null;
  if (expression.kind !== "Choice" || expression.otherwise !== undefined) return undefined;
  const { when, value } = expression;
  return conditionOf(value, name) === null && isOfDataset(when) ? when : undefined;
}

/** True if a condition reads only the dataset and contains only plain data. */
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

export const valueTypeOf = ({ type, collection }: StructuralProperty): ValueType =>
  collection ? `Collection(${type})` : type;

export type Planned = PlanRef & { readonly computed: readonly ComputedMember[] };

/** A selection of nothing. */
const nothing: readonly Projection[] = [];

/** Caches record plans by the identity of the selection array. All empty selections have one plan. */
export class Plans {
  readonly #known = new WeakMap<readonly Projection[], Map<string, Planned>>();
  #last = 0;

  of(selection: readonly Projection[], members: ReadonlyMap<string, Member>, nulls: boolean): Planned {
    const select = selection.length === 0 ? nothing : selection;
    const ofSelect = this.#known.get(select) ?? new Map<string, Planned>();
    this.#known.set(select, ofSelect);
    const key = String(nulls);
    const known = ofSelect.get(key);
    if (known !== undefined) return known;
    const planned = { id: ++this.#last, ...planRecord(select, members, nulls) };
    ofSelect.set(key, planned);
    return planned;
  }
}
