import type { HasNode } from "../syntax/tree.ts";
import { bindBeside } from "./beside.ts";
import { mismatch } from "./comparison.ts";
import type { Context } from "./context.ts";
import { enumTypeOf, flagsOf } from "./enumeration.ts";
import { isIn } from "./membership.ts";
import { type BoundNode, type ConstantNode, constant, equals, itemVariable, textConstant } from "./tree.ts";
import { itemType } from "./typing.ts";

const lookupName = "RESO.OData.Metadata.LookupName";

/**
 * Binds `has`. On an enumeration it tests flags. RESO lookups are strings today, but clients written for enumerations
 * still send `F has 'x'` or `F has Ns.Lookup'x'`: that means equality for a single-valued lookup, and containment for
 * a collection of them.
 */
export function bindHas(node: HasNode, context: Context): BoundNode {
  const operand = context.bind(node.operand, context);
  const exact = { ...context, ignoreCase: false };
  const enumType = enumTypeOf(operand);
  if (enumType !== undefined && itemType(operand.type) === undefined) {
    const right = bindBeside(node.right, operand, exact);
    if (right.kind !== "Constant" || right.type !== "Edm.String")
      throw mismatch(node, "has", operand.type, right.type);
    return hasFlags(operand, flagsOf(right, enumType));
  }
  const isLookup =
    operand.kind === "Property" &&
    operand.property.annotations?.some(({ term }) => term === lookupName) === true;
  const right: BoundNode =
    node.right.kind === "Enum" ? textConstant(node.right.value) : context.bind(node.right, context);
  if (!isLookup || right.type !== "Edm.String") throw mismatch(node, "has", operand.type, right.type);
  return itemType(operand.type) === undefined
    ? equals(operand, right)
    : isIn(right, operand, itemVariable("in collection", "Edm.String", operand), exact);
}

/** Builds the test of flags. No flags at all are set in every value but null, for which the test is null. */
function hasFlags(operand: BoundNode, flags: readonly ConstantNode[]): BoundNode {
  if (flags.length > 0) return { kind: "Flags", type: "Edm.Boolean", operand, flags };
  const isPresent: BoundNode = { ...equals(operand, nullConstant), comparator: "ne" };
  return { kind: "Choice", type: "Edm.Boolean", when: isPresent, value: constant(true) };
}

const nullConstant: ConstantNode = { kind: "Constant", type: "Null", value: null };
