import { QueryError } from "../errors.ts";
import type { CountNode, LambdaNode, SyntaxNode } from "../syntax/tree.ts";
import type { Context } from "./context.ts";
import { type BoundNode, itemVariable } from "./tree.ts";
import { isStructure, itemType, typeName } from "./typing.ts";

/** Binds a node in a position that requires a boolean. */
export function bindPredicate(node: SyntaxNode, context: Context): BoundNode {
  const bound = context.bind(node, context);
  if (bound.type === "Edm.Boolean" || bound.type === "Null") return bound;
  throw new QueryError("not_boolean", node, { actual: typeName(bound.type) });
}

function bindCollection(node: SyntaxNode, operator: string, context: Context) {
  const collection = context.bind(node, context);
  const item = itemType(collection.type);
  if (item === undefined) {
    throw new QueryError("not_a_collection", node, { operator, actual: typeName(collection.type) });
  }
  return { collection, item };
}

export function bindLambda(node: LambdaNode, context: Context): BoundNode {
  const { collection, item } = bindCollection(node.base, node.operator, context);
  const variable = itemVariable(node.variable ?? "any item", item, collection);
  const inner = { ...context, variables: [...context.variables, variable] };
  const predicate = node.predicate && bindPredicate(node.predicate, inner);
  return { kind: "Lambda", type: "Edm.Boolean", operator: node.operator, collection, variable, predicate };
}

/**
 * Binds `Rooms/$count` and `Rooms/$count($filter=RoomLength gt 12)`. Inside the parentheses, a bare name is a
 * property of an item.
 */
export function bindCount(node: CountNode, context: Context): BoundNode {
  if (node.search !== null) throw new QueryError("not_supported", node, { feature: "`$search` in `$count`" });
  const { collection, item } = bindCollection(node.base, "$count", context);
  // The depth in the name distinguishes the variables of nested counts.
  const name = `item ${context.variables.length}`;
  const variable = itemVariable(name, item, collection);
  const inner: Context = {
    ...context,
    instance: { type: isStructure(item) ? item.structure : item, node: variable },
    variables: [...context.variables, variable],
  };
  const predicate = node.filter && bindPredicate(node.filter, inner);
  return { kind: "Size", type: "Edm.Int64", collection, variable, predicate };
}
