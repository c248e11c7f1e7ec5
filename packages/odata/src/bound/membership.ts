import { QueryError } from "../errors.ts";
import type { AliasNode, ArrayNode, InNode, SyntaxNode } from "../syntax/tree.ts";
import { behindAliases, inAliasValue } from "./alias.ts";
import { bindBeside } from "./beside.ts";
import { bindCompare, mismatch } from "./comparison.ts";
import type { Context } from "./context.ts";
import { literalHint, withQuotesHint } from "./hints.ts";
import { checkSize } from "./size.ts";
import { allOf, anyOf, type BoundNode, equals, isAmong, itemVariable, type VariableNode } from "./tree.ts";
import { foldAmong, isComparable, itemType, typeName } from "./typing.ts";

export function bindIn(node: InNode, context: Context): BoundNode {
  const { operand, right } = node;
  const tuple = behindAliases(operand, context);
  if (tuple?.kind === "Array")
    return bindTupleIn(tuple, right, context, operand.kind === "Alias" ? operand : null);
  if (isList(right, context)) {
    const left = context.bind(operand, context);
    const values = bindListed(right, left, context);
    const fold = foldAmong([left, ...values], context);
    return isAmong(fold(left), values.map(fold));
  }
  const collection = withQuotesHint(right, () => context.bind(right, context));
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
    if (!isComparable(left.type, value.type, false))
      throw mismatch(item, "in", left.type, value.type, literalHint(item, left.type, context));
    return value;
  });
}

/**
 * Binds `[A,B] in [[1,2],[3,4]]`: true if the operand equals one of the tuples, item by item. `alias` is the one
 * that stands for the operand.
 */
function bindTupleIn(
  operand: ArrayNode,
  right: SyntaxNode,
  context: Context,
  alias: AliasNode | null,
): BoundNode {
  const { bound, inner } = bindingOnce(operand.items, context, alias);
  const rows = bindTuples(right, operand.items, inner);
  const tree = anyOf(...rows);
  // A long operand repeated for many rows is far larger than its text.
  if ([...bound.values()].some((node) => !isLeaf(node))) checkSize([tree], alias ?? operand);
  return tree;
}

/** Binds the comparisons of a tuple with each one of a list, or of the list that an alias stands for. */
function bindTuples(right: SyntaxNode, items: readonly SyntaxNode[], context: Context): readonly BoundNode[] {
  if (right.kind === "Alias")
    return inAliasValue(right, context, (value, inner) => bindTuples(value, items, inner));
  if (right.kind !== "List" && right.kind !== "Array")
    throw new QueryError("not_supported", right, { feature: "a tuple in a path" });
  return right.items.map((row) => bindTuple(row, items, context));
}

function bindTuple(row: SyntaxNode, items: readonly SyntaxNode[], context: Context): BoundNode {
  if (row.kind === "Alias")
    return inAliasValue(row, context, (value, inner) => bindTuple(value, items, inner));
  if (row.kind !== "Array" || row.items.length !== items.length) {
    throw new QueryError("wrong_arguments", row, {
      name: "in",
      expected: `tuples of ${items.length} values`,
      actual: row.kind === "Array" ? `${row.items.length} values` : "one value",
    });
  }
  const pairs = row.items.flatMap((value, i) => {
    const left = items[i];
    return left === undefined ? [] : [{ left, right: value }];
  });
  return allOf(
    ...pairs.map((pair) =>
      bindCompare({ kind: "Compare", comparator: "eq", start: row.start, end: row.end, ...pair }, context),
    ),
  );
}

/**
 * Returns a context that binds each of `nodes`, which are in the value of `alias` if it is not null, only once, and
 * the map of their bound nodes.
 */
function bindingOnce(nodes: readonly SyntaxNode[], context: Context, alias: AliasNode | null) {
  const repeated = new Set(nodes);
  const bound = new Map<SyntaxNode, BoundNode>();
  const bind: Context["bind"] = (node, at) => {
    if (!repeated.has(node)) return context.bind(node, at);
    const tree = bound.get(node) ?? bindWithin(alias, node, context);
    bound.set(node, tree);
    return tree;
  };
  return { bound, inner: { ...context, bind } };
}

/** Binds a node in the value of `alias`. */
function bindWithin(alias: AliasNode | null, node: SyntaxNode, context: Context): BoundNode {
  if (alias === null) return context.bind(node, context);
  return inAliasValue(alias, context, (value, inner) =>
    bindWithin(value.kind === "Alias" ? value : null, node, inner),
  );
}

const isLeaf = ({ kind }: BoundNode): boolean =>
  kind === "Property" || kind === "Constant" || kind === "Variable";

/** Builds the condition that `operand` equals an item of `collection`, to which `variable` is bound. */
export function isIn(
  operand: BoundNode,
  collection: BoundNode,
  variable: VariableNode,
  context: Context,
): BoundNode {
  const fold = foldAmong([variable, operand], context);
  const predicate = equals(fold(variable), fold(operand));
  return { kind: "Lambda", type: "Edm.Boolean", operator: "any", collection, variable, predicate };
}
