import { QueryError } from "../errors.ts";
import type { StructuredType } from "../model/types.ts";
import { nearest } from "../nearest.ts";
import type { MemberNode, NameNode, Span } from "../syntax/tree.ts";
import type { ComputedExpressions, Context } from "./context.ts";
import { type BoundNode, propertyNode, type StructureType, type VariableNode } from "./tree.ts";
import { isStructure, typeName } from "./typing.ts";

/**
 * Binds the first segment of a path: a variable, `$it`, `$this`, a property of the current instance, or a cast of it to
 * its own type.
 */
export function bindName(node: NameNode, { root, instance, variables, computed }: Context): BoundNode {
  const { name } = node;
  if (name === "$it") return { kind: "Variable", type: single(root), name };
  const variable = variables.findLast((candidate) => candidate.name === name);
  if (variable !== undefined) return variable;
  const self = (): VariableNode => instance.node ?? { kind: "Variable", type: single(root), name: "$it" };
  if (name === "$this") return self();
  if (typeof instance.type === "string") throw new QueryError("unknown_property", node, { name });
  if (isTypeName(name)) {
    checkCast(name, node, instance.type);
    return self();
  }
  return bindSegment(name, node, instance.type, instance.node, computed);
}

/** True if a path segment is the name of a type: it has a namespace. */
const isTypeName = (name: string): boolean => name.includes(".");

/** True if `name`, with any namespace, names the type. */
export const isNameOf = (name: string, { name: own }: StructuredType): boolean =>
  name.split(".").at(-1) === own;

/**
 * Checks a type cast in a path: only one to the declared type itself is supported, and changes nothing.
 *
 * @throws {QueryError} `unknown_type`
 */
function checkCast(name: string, span: Span, type: StructuredType): void {
  if (!isNameOf(name, type)) throw new QueryError("unknown_type", span, { name });
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
  if (isTypeName(node.name)) {
    checkCast(node.name, span, structure);
    return base;
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

/** Returns the error for a name that the type does not have. */
export function unknownProperty(name: string, span: Span, type: StructuredType): QueryError {
  const suggestion = nearest(name, [...type.properties.keys(), ...(type.structured?.keys() ?? [])]);
  return new QueryError("unknown_property", span, suggestion === undefined ? { name } : { name, suggestion });
}

/** A segment of a path in `$select` or `$expand`, and its place. */
export type Segment = { readonly name: string; readonly span: Span };

/** Returns the segments of a path that begins at `start`, with their places. */
export function segmentsOf(path: readonly string[], start: number): readonly Segment[] {
  let at = start;
  return path.map((name) => {
    const span = { start: at, end: at + name.length };
    at = span.end + 1;
    return { name, span };
  });
}

/**
 * Returns the segments without the casts at their start, which must be to the type itself.
 *
 * @throws {QueryError} `unknown_type`
 */
export function withoutCasts(segments: readonly Segment[], type: StructuredType): readonly Segment[] {
  const first = segments.findIndex(({ name }) => !isTypeName(name));
  const end = first < 0 ? segments.length : first;
  for (const { name, span } of segments.slice(0, end)) checkCast(name, span, type);
  return segments.slice(end);
}
