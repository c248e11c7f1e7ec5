import { QueryError } from "../errors.ts";
import { sameItems } from "../functions/collection.ts";
import type { EnumType } from "../model/types.ts";
import type { ArrayNode, CompareNode, HasNode, InNode, Span, SyntaxNode } from "../syntax/tree.ts";
import { behindAliases, inAliasValue } from "./alias.ts";
import { bindBeside, bindPair } from "./beside.ts";
import type { Context } from "./context.ts";
import { enumTypeOf, flagsOf, underlyingNumber } from "./enumeration.ts";
import { callAmong } from "./overload.ts";
import { checkSize } from "./size.ts";
import {
  allOf,
  anyOf,
  type BoundNode,
  type BoundType,
  type ConstantNode,
  constant,
  equals,
  itemVariable,
  textConstant,
  type VariableNode,
} from "./tree.ts";
import { foldAmong, isComparable, itemType, typeName } from "./typing.ts";

export function bindCompare(node: CompareNode, context: Context): BoundNode {
  const [left, right] = bindPair(node.left, node.right, context);
  const { comparator } = node;
  const ordered = comparator !== "eq" && comparator !== "ne";
  const same = ordered ? undefined : sameCollections(left, right);
  if (same !== undefined)
    return comparator === "eq" ? same : { kind: "Not", type: "Edm.Boolean", operand: same };
  if (!isComparable(left.type, right.type, ordered)) throw mismatch(node, comparator, left.type, right.type);
  const types = [enumTypeOf(left), enumTypeOf(right)].filter((type) => type !== undefined);
  const [enumType, other = enumType] = types;
  if (enumType?.name !== other?.name)
    throw new QueryError("type_mismatch", node, {
      operator: comparator,
      actual: types.map(({ name }) => name).join(" and "),
    });
  const compared = ordered && enumType !== undefined ? inOrderOf(enumType, left, right) : [left, right];
  const fold = foldAmong(ordered ? [] : [left, right], context);
  const [first = left, second = right] = compared.map(fold);
  return { kind: "Compare", type: "Edm.Boolean", comparator, left: first, right: second };
}

/**
 * Builds the condition that two collections have equal items in the same order; undefined if an operand is no
 * collection of primitive values. It is never null.
 */
function sameCollections(left: BoundNode, right: BoundNode): BoundNode | undefined {
  if (itemType(left.type) === undefined || itemType(right.type) === undefined) return undefined;
  const call = callAmong(sameItems, [left, right]);
  return call && equals(call, constant(true));
}

/** Returns the underlying numbers of operands that are values of one enumeration; others are compared as texts. */
function inOrderOf(type: EnumType, ...operands: readonly BoundNode[]): readonly BoundNode[] {
  const isValue = (node: BoundNode) => node.kind === "Constant" || enumTypeOf(node) !== undefined;
  return operands.every(isValue) ? operands.map((operand) => underlyingNumber(operand, type)) : operands;
}

const mismatch = (span: Span, operator: string, left: BoundType, right: BoundType) =>
  new QueryError("type_mismatch", span, { operator, actual: `${typeName(left)} and ${typeName(right)}` });

export function bindIn(node: InNode, context: Context): BoundNode {
  const { operand, right } = node;
  if (operand.kind === "Array") return bindTupleIn(operand, right, context);
  if (isList(right, context)) {
    const left = context.bind(operand, context);
    const values = bindListed(right, left, context);
    const fold = foldAmong([left, ...values], context);
    return { kind: "Membership", type: "Edm.Boolean", operand: fold(left), values: values.map(fold) };
  }
  const collection = context.bind(right, context);
  const item = itemType(collection.type);
  if (item === undefined) {
    throw new QueryError("not_a_collection", right, { operator: "in", actual: typeName(collection.type) });
  }
  // The name contains a space, so no query can refer to it and it shadows nothing.
  const variable = itemVariable("in collection", item, collection);
  const left = bindBeside(operand, variable, context);
  if (!isComparable(left.type, item, false)) throw mismatch(node, "in", left.type, item);
  return isIn(left, collection, variable, context);
}

function isList(node: SyntaxNode, context: Context): boolean {
  const kind = behindAliases(node, context)?.kind;
  return kind === "List" || kind === "Array";
}

/** Binds the items of a list, or of the list that an alias stands for, beside the operand before `in`. */
function bindListed(right: SyntaxNode, left: BoundNode, context: Context): readonly BoundNode[] {
  if (right.kind === "Alias")
    return inAliasValue(right, context, (value, inner) => bindListed(value, left, inner));
  if (right.kind !== "List" && right.kind !== "Array") return [];
  return right.items.map((item) => {
    const value = bindBeside(item, left, context);
    if (!isComparable(left.type, value.type, false)) throw mismatch(item, "in", left.type, value.type);
    return value;
  });
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

/** Builds the condition that `operand` equals an item of `collection`, to which `variable` is bound. */
function isIn(
  operand: BoundNode,
  collection: BoundNode,
  variable: VariableNode,
  context: Context,
): BoundNode {
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
