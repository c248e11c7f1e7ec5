import type { BoundCallNode, BoundCompareNode, BoundNode, ConstantNode } from "../bound/tree.ts";
import type { TextMatch } from "../functions/define.ts";
import type { PrimitiveType, StructuralProperty } from "../model/types.ts";
import { type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { encodingOf } from "./operand.ts";

/** A condition that a constant text lies in the text of a property of the current entity. */
export type TextCondition = {
  readonly property: StructuralProperty;
  readonly text: ConstantNode;
  readonly match: TextMatch;
};

/** Adds to the condition `exact` a prefilter that a text index serves, if the mapping has one. */
export function withTextIndex(
  node: BoundCallNode | BoundCompareNode,
  exact: SqlFragment,
  target: CompileContext,
): SqlFragment {
  // Inside a lambda an index would not help.
  const condition = target.variables.length > 0 ? undefined : textConditionOf(node);
  if (condition === undefined) return exact;
  const { property, text, match } = condition;
  const index = target.place.members.column(property).texts;
  if (index === undefined || !target.values.examine([text], ([one]) => isSearchable(one))) return exact;
  const found = index.find({
    match,
    bind: (by) => value(target.values.derive([text], ([one]) => by(String(one)))),
    among: index.dividedBy && listedValues(index.dividedBy, target),
  });
  return found === undefined ? exact : sql`(${found} and ${exact})`;
}

/**
 * Returns the text condition that a node is, such as `contains(City,'Aus')` or `tolower(City) eq 'austin'`. Undefined for any other node, for a
 * masked property, and for `City eq 'Austin'`, which an ordinary index serves.
 */
export function textConditionOf(node: BoundNode): TextCondition | undefined {
  if (node.kind === "Call") {
    const [text, part] = node.args;
    return node.entry.finds && text && part && conditionOfPart(text, part, node.entry.finds);
  }
  if (node.kind !== "Compare" || node.comparator !== "eq") return undefined;
  const { left, right } = node;
  if (changesCase(left)) return conditionOfPart(left, right, "whole");
  return changesCase(right) ? conditionOfPart(right, left, "whole") : undefined;
}

/** True for a text that a text index can find: at least three characters, which every database can hold. */
export const isSearchable = (text: unknown): boolean =>
  typeof text === "string" && text.length >= 3 && !/[\0\p{Surrogate}]/u.test(text);

function conditionOfPart(text: BoundNode, part: BoundNode, match: TextMatch): TextCondition | undefined {
  const [property, constant] = [withoutCase(text), withoutCase(part)];
  if (property.kind !== "Property" || property.base !== undefined || constant.kind !== "Constant")
    return undefined;
  return property.property.type === "Edm.String" && !property.property.collection
    ? { property: property.property, text: constant, match }
    : undefined;
}

const changesCase = (node: BoundNode): node is BoundCallNode =>
  node.kind === "Call" && node.entry.changesCase === true;

const withoutCase = (node: BoundNode): BoundNode =>
  changesCase(node) && node.args[0] !== undefined ? withoutCase(node.args[0]) : node;

/**
 * Returns the values that the filter lists of a property, as SQL; undefined if it lists none. An index that is divided by the property is
 * searched among these values only.
 */
function listedValues(
  { name }: StructuralProperty,
  { required, values, dialect }: CompileContext,
): readonly SqlFragment[] | undefined {
  const isProperty = (node: BoundNode) =>
    node.kind === "Property" && node.base === undefined && node.property.name === name;
  for (const condition of required) {
    const listed =
      condition.kind === "Membership" && isProperty(condition.operand)
        ? condition.values
        : condition.kind === "Compare" && condition.comparator === "eq" && isProperty(condition.left)
          ? [condition.right]
          : [];
    const constants = listed.filter((one) => one.kind === "Constant" && one.value !== null) as ConstantNode[];
    if (constants.length === 0 || constants.length < listed.length) continue;
    return constants.map((constant) => {
      const form = encodingOf(constant.type, dialect.columnEncodings);
      const { value: encoded } = values.encode(constant, form, null);
      return dialect.operand(encoded, constant.type as PrimitiveType, form);
    });
  }
  return undefined;
}
