import { QueryError } from "../errors.ts";
import { parseDuration } from "../model/temporal.ts";
import type { EnumType } from "../model/types.ts";
import { codecs } from "../model/values.ts";
import { checkLiteral, isDuration } from "../syntax/literal.ts";
import type { EnumNode, LiteralNode, Span, SyntaxNode } from "../syntax/tree.ts";
import { behindAliases, inAliasValue } from "./alias.ts";
import type { Context } from "./context.ts";
import { enumConstant, enumTypeOf } from "./enumeration.ts";
import { withQuotesHint } from "./hints.ts";
import type { BoundNode, ConstantNode } from "./tree.ts";
import { itemType, typeName } from "./typing.ts";

/** Kinds of nodes that are written alike for several types, so that the other operand decides. */
const literals: ReadonlySet<SyntaxNode["kind"]> = new Set(["Literal", "Enum", "Array"]);

/** True if the node is a literal or an alias of one, whose type another operand may determine. */
function isLiteral(node: SyntaxNode, context: Context): boolean {
  const value = behindAliases(node, context);
  return value !== undefined && literals.has(value.kind);
}

/**
 * Binds an operand beside another one, which determines the type of a literal: a text beside an enumeration names
 * its members, beside a duration it is a duration, and a number beside a single is rounded to a single. Source: OData
 * 4.01 URL Conventions, sections 5.1.1.14.1 (prefixes may be left off) and 5.1.1.15 (numeric promotion).
 *
 * @throws {QueryError} `invalid_literal`
 */
export function bindBeside(node: SyntaxNode, other: BoundNode, context: Context): BoundNode {
  if (node.kind === "Alias")
    return inAliasValue(node, context, (value, inner) => bindBeside(value, other, inner));
  if (node.kind === "Enum") return enumBeside(node, other, context);
  const bound = context.bind(node, context);
  if (bound.kind !== "Constant" || bound.value === null) return bound;
  if (node.kind === "Literal") return literalBeside(node, bound, other, context);
  if (node.kind !== "Array" || !Array.isArray(bound.value)) return bound;
  const type = enumTypeOf(other);
  return type === undefined ? bound : { ...bound, value: membersIn(bound.value, type, node, context) };
}

/** Binds two operands, each of which determines the type of the other one if that is a literal. */
export function bindPair(
  left: SyntaxNode,
  right: SyntaxNode,
  context: Context,
): readonly [BoundNode, BoundNode] {
  if (isLiteral(left, context)) {
    const bound = context.bind(right, context);
    return [bindBeside(left, bound, context), bound];
  }
  const bound = context.bind(left, context);
  const beside = () => bindBeside(right, bound, context);
  return [bound, bound.type === "Edm.String" ? withQuotesHint(right, beside) : beside()];
}

function literalBeside(
  node: LiteralNode,
  bound: ConstantNode,
  other: BoundNode,
  { ignoreCase }: Context,
): ConstantNode {
  if (typeof bound.value === "string" && bound.type === "Edm.String") {
    const type = enumTypeOf(other);
    if (type !== undefined && itemType(other.type) === undefined)
      return enumConstant(bound.value, type, node, ignoreCase);
    return other.type === "Edm.Duration" ? durationOf(bound.value, node) : bound;
  }
  return other.type === "Edm.Single" ? singleOf(node, bound) : bound;
}

const numerals: ReadonlySet<string> = new Set(["Integer", "Decimal", "Double"]);

/** Rounds a numeral to a single. One beyond the singles keeps its value. */
function singleOf(node: LiteralNode, bound: ConstantNode): ConstantNode {
  if (!numerals.has(node.type)) return bound;
  const value = codecs["Edm.Single"].parse(String(node.value));
  const isBeyond = value === undefined || (!Number.isFinite(value) && Number.isFinite(Number(node.value)));
  return isBeyond ? bound : { kind: "Constant", type: "Edm.Single", value };
}

/** Returns the duration in a literal without prefix. */
function durationOf(text: string, span: Span): ConstantNode {
  checkLiteral("Duration", text, span);
  return { kind: "Constant", type: "Edm.Duration", value: parseDuration(text) ?? null };
}

const membersIn = (
  items: readonly unknown[],
  type: EnumType,
  span: Span,
  { ignoreCase }: Context,
): readonly unknown[] =>
  items.map((item) => (typeof item === "string" ? enumConstant(item, type, span, ignoreCase).value : item));

/** Binds an enumeration literal with its type, which must be that of `other`. */
function enumBeside(node: EnumNode, other: BoundNode, { ignoreCase }: Context): ConstantNode {
  const type = enumTypeOf(other);
  if (type === undefined) {
    throw new QueryError("type_mismatch", node, {
      operator: "an enumeration literal",
      actual: typeName(other.type),
    });
  }
  if (type.name !== node.typeName) throw new QueryError("unknown_type", node, { name: node.typeName });
  return enumConstant(node.value, type, node, ignoreCase);
}

/** Returns a text constant as the duration that it writes; anything else unchanged. */
export function asDuration(node: BoundNode): BoundNode {
  if (node.kind !== "Constant" || node.type !== "Edm.String") return node;
  const text = String(node.value);
  return isDuration(text)
    ? { kind: "Constant", type: "Edm.Duration", value: parseDuration(text) ?? null }
    : node;
}
