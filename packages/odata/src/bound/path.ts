import { QueryError } from "../errors.ts";
import type { StructuralProperty, StructuredType } from "../model/types.ts";
import { nearest } from "../nearest.ts";
import type { MemberNode, NameNode, Span } from "../syntax/tree.ts";
import type { ComputedExpressions, Context } from "./context.ts";
import { type BoundNode, propertyNode, type StructureType } from "./tree.ts";
import { isStructure, typeName } from "./typing.ts";

/** Binds the first segment of a path: a variable, `$it`, `$this`, or a property of the current instance. */
export function bindName(node: NameNode, { root, instance, variables, computed }: Context): BoundNode {
  const { name } = node;
  if (name === "$it") return { kind: "Variable", type: single(root), name };
  const variable = variables.findLast((candidate) => candidate.name === name);
  if (variable !== undefined) return variable;
  if (name === "$this") {
    return instance.node ?? { kind: "Variable", type: single(root), name: "$it" };
  }
  if (typeof instance.type === "string") throw new QueryError("unknown_property", node, { name });
  return bindSegment(name, node, instance.type, instance.node, computed);
}

const single = (structure: StructuredType): StructureType => ({ structure, collection: false });

/** Binds `base/name`. A name with a dot is a type cast; only a cast to the same type is supported. */
export function bindMember(node: MemberNode, context: Context): BoundNode {
  const base = context.bind(node.base, context);
  const span = { start: node.end - node.name.length, end: node.end };
  if (!isStructure(base.type)) {
    throw new QueryError("type_mismatch", node, { operator: "/", actual: typeName(base.type) });
  }
  const { structure, collection } = base.type;
  if (node.name.includes(".")) {
    if (node.name.split(".").at(-1) === structure.name) return base;
    throw new QueryError("unknown_type", span, { name: node.name });
  }
  if (collection) throw new QueryError("type_mismatch", node, { operator: "/", actual: typeName(base.type) });
  // `$it/City` is `City` of the current entity.
  const isEntity = base.kind === "Variable" && base.name === "$it";
  return bindSegment(node.name, span, structure, isEntity ? undefined : base, context.computed);
}

function bindSegment(
  name: string,
  span: Span,
  type: StructuredType,
  base: BoundNode | undefined,
  computed: ComputedExpressions,
): BoundNode {
  const expression = base === undefined ? computed.get(name) : undefined;
  if (expression !== undefined) return expression;
  const property = type.properties.get(name);
  if (property !== undefined) return propertyNode(property, base);
  const structured = type.structured?.get(name);
  if (structured === undefined) throw unknownProperty(name, span, type);
  return {
    kind: "Structure",
    type: { structure: structured.target(), collection: structured.collection },
    property: structured,
    ...(base === undefined ? {} : { base }),
  };
}

/**
 * Returns the structural property `name` of a type.
 *
 * @throws {QueryError} `unknown_property`
 */
export function findProperty(name: string, span: Span, type: StructuredType): StructuralProperty {
  const property = type.properties.get(name);
  if (property === undefined) throw unknownProperty(name, span, type);
  return property;
}

function unknownProperty(name: string, span: Span, type: StructuredType): QueryError {
  const suggestion = nearest(name, [...type.properties.keys(), ...(type.structured?.keys() ?? [])]);
  return new QueryError("unknown_property", span, suggestion === undefined ? { name } : { name, suggestion });
}
