import { QueryError } from "../errors.ts";
import type { EnumType } from "../model/types.ts";
import type { ArrayNode, CompareNode, EnumNode, HasNode, InNode, Span, SyntaxNode } from "../syntax/tree.ts";
import type { Context } from "./context.ts";
import { checkSize } from "./size.ts";
import {
  allOf,
  anyOf,
  type BoundNode,
  type BoundType,
  type ConstantNode,
  equals,
  textConstant,
  type VariableNode,
} from "./tree.ts";
import { foldAmong, isComparable, itemType, typeName } from "./typing.ts";

export function bindCompare(node: CompareNode, context: Context): BoundNode {
  const [left, right] = bindPair(node.left, node.right, context);
  const ordered = node.comparator !== "eq" && node.comparator !== "ne";
  if (!isComparable(left.type, right.type, ordered)) {
    throw mismatch(node, node.comparator, left.type, right.type);
  }
  const fold = foldAmong(ordered ? [] : [left, right], context);
  return {
    kind: "Compare",
    type: "Edm.Boolean",
    comparator: node.comparator,
    left: fold(left),
    right: fold(right),
  };
}

/** Binds two operands, either of which may be an enumeration literal whose type the other one determines. */
function bindPair(left: SyntaxNode, right: SyntaxNode, context: Context): readonly [BoundNode, BoundNode] {
  if (left.kind === "Enum") {
    const bound = context.bind(right, context);
    return [bindEnum(left, bound), bound];
  }
  const bound = context.bind(left, context);
  return [bound, right.kind === "Enum" ? bindEnum(right, bound) : context.bind(right, context)];
}

const mismatch = (span: Span, operator: string, left: BoundType, right: BoundType) =>
  new QueryError("type_mismatch", span, { operator, actual: `${typeName(left)} and ${typeName(right)}` });

export function bindIn(node: InNode, context: Context): BoundNode {
  const { operand, right } = node;
  if (operand.kind === "Array") return bindTupleIn(operand, right, context);
  if (right.kind === "List" || right.kind === "Array") {
    const left = context.bind(operand, context);
    const values = right.items.map((item) => {
      const value = item.kind === "Enum" ? bindEnum(item, left) : context.bind(item, context);
      if (!isComparable(left.type, value.type, false)) throw mismatch(item, "in", left.type, value.type);
      return value;
    });
    const fold = foldAmong([left, ...values], context);
    return { kind: "Membership", type: "Edm.Boolean", operand: fold(left), values: values.map(fold) };
  }
  const left = context.bind(operand, context);
  const collection = context.bind(right, context);
  const item = itemType(collection.type);
  if (item === undefined) {
    throw new QueryError("not_a_collection", right, { operator: "in", actual: typeName(collection.type) });
  }
  if (!isComparable(left.type, item, false)) throw mismatch(node, "in", left.type, item);
  return isIn(left, collection, item, context);
}

/** Binds `[A,B] in [[1,2],[3,4]]`: true if the operand equals one of the tuples, item by item. */
function bindTupleIn(operand: ArrayNode, right: SyntaxNode, context: Context): BoundNode {
  if (right.kind !== "List" && right.kind !== "Array")
    throw new QueryError("not_supported", right, { feature: "a tuple in a path" });
  const { bound, inner } = bindingOnce(operand.items, context);
  const rows = right.items.map((row) => {
    if (row.kind !== "Array" || row.items.length !== operand.items.length) {
      throw new QueryError("wrong_arguments", row, {
        name: "in",
        expected: `tuples of ${operand.items.length} values`,
        actual: row.kind === "Array" ? `${row.items.length} values` : "one value",
      });
    }
    const pairs = row.items.flatMap((value, i) => {
      const left = operand.items[i];
      return left === undefined ? [] : [{ left, right: value }];
    });
    return allOf(
      ...pairs.map((pair) =>
        bindCompare({ kind: "Compare", comparator: "eq", start: row.start, end: row.end, ...pair }, inner),
      ),
    );
  });
  const tree = anyOf(...rows);
  // A long operand repeated for many rows is far larger than its text.
  if ([...bound.values()].some((node) => !isLeaf(node))) checkSize([tree], operand);
  return tree;
}

/** Returns a context that binds each of `nodes` only once, and the map of their bound nodes. */
function bindingOnce(nodes: readonly SyntaxNode[], context: Context) {
  const repeated = new Set(nodes);
  const bound = new Map<SyntaxNode, BoundNode>();
  const bind: Context["bind"] = (node, at) => {
    if (!repeated.has(node)) return context.bind(node, at);
    const tree = bound.get(node) ?? context.bind(node, at);
    bound.set(node, tree);
    return tree;
  };
  return { bound, inner: { ...context, bind } };
}

const isLeaf = ({ kind }: BoundNode): boolean =>
  kind === "Property" || kind === "Constant" || kind === "Variable";

/** Builds the condition that `operand` equals an item of `collection`. */
function isIn(
  operand: BoundNode,
  collection: BoundNode,
  item: VariableNode["type"],
  context: Context,
): BoundNode {
  // The name contains a space, so no query can refer to it and it shadows nothing.
  const variable: VariableNode = { kind: "Variable", type: item, name: "in collection" };
  const fold = foldAmong([variable, operand], context);
  const predicate = equals(fold(variable), fold(operand));
  return { kind: "Lambda", type: "Edm.Boolean", operator: "any", collection, variable, predicate };
}

const lookupName = "RESO.OData.Metadata.LookupName";

/**
 * Binds `has`. On an enumeration it tests flags. RESO lookups are strings today, but clients written for enumerations
 * still send `F has 'x'` or `F has Ns.Lookup'x'`: that means equality for a single-valued lookup, and containment for
 * a collection of them.
 */
export function bindHas(node: HasNode, context: Context): BoundNode {
  const operand = context.bind(node.operand, context);
  const enumType = enumTypeOf(operand);
  if (enumType !== undefined) {
    const { value } = node.right.kind === "Enum" ? bindEnum(node.right, operand) : flagsText(node, context);
    const flags = checkedMembers(String(value), enumType, node.right).map(textConstant);
    return { kind: "Flags", type: "Edm.Boolean", operand, flags };
  }
  const isLookup =
    operand.kind === "Property" &&
    operand.property.annotations?.some(({ term }) => term === lookupName) === true;
  const right: BoundNode =
    node.right.kind === "Enum"
      ? { kind: "Constant", type: "Edm.String", value: node.right.value }
      : context.bind(node.right, context);
  if (!isLookup || right.type !== "Edm.String") throw mismatch(node, "has", operand.type, right.type);
  return itemType(operand.type) === undefined
    ? equals(operand, right)
    : isIn(right, operand, "Edm.String", { ...context, ignoreCase: false });
}

function flagsText(node: HasNode, context: Context): ConstantNode {
  const right = context.bind(node.right, context);
  if (right.kind === "Constant" && right.type === "Edm.String") return right;
  throw mismatch(node, "has", "Edm.String", right.type);
}

const enumTypeOf = (node: BoundNode): EnumType | undefined =>
  node.kind === "Property" ? node.property.enumType : undefined;

/** Binds an enumeration literal that is compared with `other`. */
function bindEnum(node: EnumNode, other: BoundNode): ConstantNode {
  const enumType = enumTypeOf(other);
  if (enumType === undefined) {
    throw new QueryError("type_mismatch", node, {
      operator: "an enumeration literal",
      actual: typeName(other.type),
    });
  }
  if (enumType.name !== node.typeName) throw new QueryError("unknown_type", node, { name: node.typeName });
  return {
    kind: "Constant",
    type: "Edm.String",
    value: checkedMembers(node.value, enumType, node).join(","),
  };
}

/**
 * Returns the members that `text` names, in the order of the type.
 *
 * @throws {QueryError} `invalid_literal`
 */
function checkedMembers(text: string, { name, members, isFlags }: EnumType, span: Span): readonly string[] {
  const named = text.split(",").map((member) => member.trim());
  const unknown = named.find((member) => !members.includes(member));
  if (unknown !== undefined || (named.length > 1 && !isFlags)) {
    const reason =
      unknown === undefined ? "it is not of flags" : `it has no member \`${unknown.slice(0, 64)}\``;
    throw new QueryError("invalid_literal", span, { text: text.slice(0, 64), type: name, reason });
  }
  return members.filter((member) => named.includes(member));
}
