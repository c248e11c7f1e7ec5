import { QueryError } from "../errors.ts";
import type { FunctionEntry } from "../functions/define.ts";
import { isPattern } from "../functions/pattern.ts";
import { functionTable } from "../functions/table.ts";
import type { PrimitiveType, StructuredType, ValueType } from "../model/types.ts";
import { codecs } from "../model/values.ts";
import { nearest } from "../nearest.ts";
import type { CallNode, CaseNode, SyntaxNode } from "../syntax/tree.ts";
import { asDuration } from "./beside.ts";
import type { Context } from "./context.ts";
import { enumTypeOf } from "./enumeration.ts";
import { hintDetails, shapeHint, withQuotesHint } from "./hints.ts";
import { bindPredicate } from "./lambda.ts";
import { overloadFor } from "./overload.ts";
import { isNameOf } from "./path.ts";
import { promote } from "./promote.ts";
import { type BoundNode, type BoundType, constant } from "./tree.ts";
import { fits, foldArguments, isNumeric, isStructure, itemType, typeName, wider } from "./typing.ts";

/**
 * Functions that do not fit into the function table: they take a type, or depend on the time of the request.
 */
const special: ReadonlyMap<string, (node: CallNode, context: Context) => BoundNode> = new Map([
  ["cast", bindCast],
  ["isof", bindIsOf],
  ["now", bindNow],
]);

export function bindCall(node: CallNode, context: Context): BoundNode {
  const name = node.name.toLowerCase();
  const bindSpecial = special.get(name);
  if (bindSpecial !== undefined) return bindSpecial(node, context);
  const overloads = functionTable.get(name);
  if (overloads === undefined) throw unknownFunction(node);
  const given = node.args.map((arg, i) => bindArgument(arg, i, overloads, context));
  const asGiven = overloadFor(overloads, given);
  // A text where only a duration fits is one without its prefix.
  const args = asGiven === undefined ? given.map(asDuration) : given;
  const entry = asGiven ?? overloadFor(overloads, args);
  if (entry === undefined) {
    throw wrongArguments(
      node,
      signatures(overloads),
      given.map(({ type }) => type),
      node.args.map((arg) => shapeHint(arg, context)).find((hint) => hint !== undefined),
    );
  }
  constantChecks.get(name)?.(node, args);
  const promoted = args.map((arg, i) => promote(arg, entry.params[i] ?? "Null"));
  return { kind: "Call", type: entry.returns, entry, args: foldArguments(name, promoted, context) };
}

/** Binds an argument. After the first one, an unknown name where a function takes a text may be a text without its quotes. */
function bindArgument(
  arg: SyntaxNode,
  place: number,
  overloads: readonly FunctionEntry[],
  context: Context,
): BoundNode {
  const bind = () => context.bind(arg, context);
  const takesText = place > 0 && overloads.some(({ params }) => params[place] === "Edm.String");
  return takesText ? withQuotesHint(arg, bind) : bind();
}

function unknownFunction({ name, start, end }: CallNode): QueryError {
  const suggestion = nearest(name, [...functionTable.keys(), ...special.keys()]);
  const details = suggestion === undefined ? { name } : { name, suggestion };
  return new QueryError("unknown_function", { start, end: Math.min(end, start + name.length) }, details);
}

/**
 * Lists the overloads for an error message. Overloads over collections are listed only if there are no others.
 */
function signatures(overloads: readonly FunctionEntry[]): string {
  const scalar = overloads.filter(({ params }) => params.every((param) => itemType(param) === undefined));
  const shown = scalar.length === 0 ? overloads : scalar;
  return shown.map(({ params }) => `(${params.join(", ")})`).join(" or ");
}

const wrongArguments = (node: CallNode, expected: string, types: readonly BoundType[], hint?: string) =>
  new QueryError("wrong_arguments", node, {
    name: node.name.toLowerCase(),
    expected,
    actual: types.map(typeName).join(", "),
    ...hintDetails(hint),
  });

/** Refuses constant arguments for which the function has no value, by the name of the function. */
const constantChecks: ReadonlyMap<string, (node: CallNode, args: readonly BoundNode[]) => void> = new Map([
  ["matchespattern", checkPattern],
  ["substring", checkLength],
]);

function checkLength(node: CallNode, [, , length]: readonly BoundNode[]): void {
  if (length?.kind !== "Constant" || typeof length.value !== "bigint" || length.value >= 0n) return;
  const details = { name: "substring", expected: "a length of 0 or more", actual: String(length.value) };
  throw new QueryError("wrong_arguments", node.args[2] ?? node, details);
}

function checkPattern(node: CallNode, [, pattern]: readonly BoundNode[]): void {
  if (pattern?.kind !== "Constant" || typeof pattern.value !== "string") return;
  if (isPattern(pattern.value)) return;
  const reason = "it is malformed, or needs more than linear time (look-around, back-reference)";
  throw new QueryError("invalid_literal", node.args[1] ?? node, {
    text: pattern.value.slice(0, 64),
    type: "pattern",
    reason,
  });
}

function bindNow(node: CallNode, context: Context): BoundNode {
  if (node.args.length > 0)
    throw wrongArguments(
      node,
      "()",
      node.args.map((arg) => context.bind(arg, context).type),
    );
  return { kind: "Constant", type: "Edm.DateTimeOffset", value: context.now() };
}

/**
 * Returns the operand and the type of `cast(operand,type)` or `isof(operand,type)`. Without an operand it is
 * `$this`.
 */
function typeArguments(node: CallNode, context: Context) {
  const last = node.args.at(-1);
  if (last?.kind !== "Type" || node.args.length > 2) {
    throw wrongArguments(node, "(expression, type) or (type)", []);
  }
  const given = node.args.length === 2 ? node.args[0] : undefined;
  const self: SyntaxNode = { kind: "Name", name: "$this", start: node.start, end: node.end };
  return { operand: context.bind(given ?? self, context), typeNode: last };
}

const isPrimitive = (name: string): name is PrimitiveType => Object.hasOwn(codecs, name);

function bindCast(node: CallNode, context: Context): BoundNode {
  const { operand, typeNode } = typeArguments(node, context);
  const to = typeNode.name;
  if (isStructure(operand.type) && !operand.type.collection && isNameOf(to, operand.type.structure))
    return operand;
  if (!isPrimitive(to)) throw new QueryError("unknown_type", typeNode, { name: to });
  if (operand.type === "Null") return { kind: "Constant", type: to, value: null };
  if (!isCastable(operand.type, to)) {
    throw new QueryError("type_mismatch", node, {
      operator: "cast",
      actual: `${typeName(operand.type)} and ${to}`,
    });
  }
  return promote(operand, to);
}

const temporalCasts = ["Edm.Date", "Edm.TimeOfDay"];

/** True if `cast` can convert values of type `from` to `to`. */
export function isCastable(from: BoundType, to: PrimitiveType): boolean {
  if (from === to) return true;
  if (isStructure(from) || itemType(from) !== undefined || isShape(from) || isShape(to)) return false;
  if (from === "Edm.String" || to === "Edm.String") return true;
  if (isNumeric(from) && isNumeric(to)) return true;
  return from === "Edm.DateTimeOffset" && temporalCasts.includes(to);
}

const isShape = (type: string): boolean => type.startsWith("Edm.Geo");

function bindIsOf(node: CallNode, context: Context): BoundNode {
  const { operand, typeNode } = typeArguments(node, context);
  const { type } = operand;
  const of = typeNode.name;
  if (isStructure(type)) {
    if (isNameOf(of, type.structure)) return isPresent(operand);
    if (isPrimitive(of) || reachableTypes(context.root).some((known) => isNameOf(of, known)))
      return constant(false);
    throw new QueryError("unknown_type", typeNode, { name: of });
  }
  if (enumTypeOf(operand)?.name === of) return isPresent(operand);
  if (!isPrimitive(of)) throw new QueryError("unknown_type", typeNode, { name: of });
  if (type === of) return isPresent(operand);
  return isNumeric(type) && isNumeric(of)
    ? { kind: "IsOf", type: "Edm.Boolean", operand, of }
    : constant(false);
}

/** Returns the structured types that paths from `root` lead to, and `root` itself. */
function reachableTypes(root: StructuredType): readonly StructuredType[] {
  const types = new Set([root]);
  for (const type of types) for (const { target } of type.structured?.values() ?? []) types.add(target());
  return [...types];
}

const isPresent = (operand: BoundNode): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator: "ne",
  left: operand,
  right: nullNode,
});

const nullNode: BoundNode = { kind: "Constant", type: "Null", value: null };

/** Binds `case(a:1,b:2)`: 1 if `a`, else 2 if `b`, else null. */
export function bindCase(node: CaseNode, context: Context): BoundNode {
  const branches = node.branches.map(({ condition, value }) => ({
    when: bindPredicate(condition, context),
    value: context.bind(value, context),
  }));
  const type = commonType(
    node,
    branches.map((branch) => branch.value.type),
  );
  let choice: BoundNode = nullNode;
  for (const { when, value } of branches.toReversed()) {
    choice = { kind: "Choice", type, when, value: promote(value, type), otherwise: choice };
  }
  return choice;
}

function commonType(node: CaseNode, types: readonly BoundType[]): ValueType | "Null" {
  let common: BoundType = "Null";
  for (const type of types) {
    if (common === "Null" || fits(common, type)) common = type;
    else if (!fits(type, common)) {
      const actual = `${typeName(common)} and ${typeName(type)}`;
      throw new QueryError("type_mismatch", node, { operator: "case", actual });
    } else common = isNumeric(common) && type !== "Null" ? wider(common, type) : common;
  }
  if (isStructure(common))
    throw new QueryError("type_mismatch", node, { operator: "case", actual: typeName(common) });
  return common;
}
