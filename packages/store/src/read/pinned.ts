import type { BoundNode } from "@cadastre/odata";
import { conjuncts } from "@cadastre/odata/tree";

/** A property limited to a set of values, with the number of values. */
type Pinned = readonly [name: string, values: number];

/** Returns the property that a condition limits to a set of non-null values. */
export function pinnedBy(condition: BoundNode): Pinned | undefined {
  if (condition.kind === "Membership") return pinned(condition.operand, condition.values);
  if (condition.kind !== "Compare" || condition.comparator !== "eq") return undefined;
  const { left, right } = condition;
  return pinned(left, [right]) ?? pinned(right, [left]);
}

/** For a property that is shown in some rows only, returns the limit for these rows. */
function pinned(node: BoundNode, values: readonly BoundNode[]): Pinned | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return pinned(node.value, values);
  if (node.kind !== "Property" || node.base !== undefined) return undefined;
  const constants = values.every((value) => value.kind === "Constant" && value.value !== null);
  return constants ? [node.property.name, values.length] : undefined;
}

/**
 * Returns, for each operand of an `or`, a property that the operand limits to some values; undefined if any operand limits none.
 */
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

/** Returns the properties that the filter limits to a set of non-null values, with the number of values. */
export const pinnedProperties = (filter: BoundNode): ReadonlyMap<string, number> =>
  new Map(
    conjuncts(filter)
      .map(pinnedBy)
      .filter((found) => found !== undefined),
  );
