import type { BoundNode } from "@cadastre/odata";

/** What must all be true for the filter to be. */
export const conjuncts = (filter: BoundNode): readonly BoundNode[] =>
  filter.kind === "Logical" && filter.operator === "and" ? filter.operands.flatMap(conjuncts) : [filter];

/** A property that can only have one of so many values. */
type Pinned = readonly [name: string, values: number];

/** The property that a condition lets have some values only, null not among them. */
export function pinnedBy(condition: BoundNode): Pinned | undefined {
  if (condition.kind === "Membership") return pinned(condition.operand, condition.values);
  if (condition.kind !== "Compare" || condition.comparator !== "eq") return undefined;
  const { left, right } = condition;
  return pinned(left, [right]) ?? pinned(right, [left]);
}

/** A value that is shown in some rows alone is pinned with them. */
function pinned(node: BoundNode, values: readonly BoundNode[]): Pinned | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return pinned(node.value, values);
  if (node.kind !== "Property" || node.base !== undefined) return undefined;
  const constants = values.every((value) => value.kind === "Constant" && value.value !== null);
  return constants ? [node.property.name, values.length] : undefined;
}

/** For each alternative of a condition, a property that it pins; undefined if there is one that pins none. */
export function pinnedAlternatives(condition: BoundNode): readonly Pinned[] | undefined {
  if (condition.kind !== "Logical" || condition.operator !== "or") return undefined;
  const pins = condition.operands
    .map((alternative) =>
      conjuncts(alternative)
        .map(pinnedBy)
        .find((found) => found !== undefined),
    )
    .filter((found) => found !== undefined);
  return pins.length === condition.operands.length ? pins : undefined;
}

/** The properties that the filter lets have some values only, null not among them: how many, by name. */
export const pinnedProperties = (filter: BoundNode): ReadonlyMap<string, number> =>
  new Map(
    conjuncts(filter)
      .map(pinnedBy)
      .filter((found) => found !== undefined),
  );
