import type { IToken } from "chevrotain";
import { isCanonicalFunction } from "../function-names.ts";
import type { Span, SyntaxNode } from "../tree.ts";
import { spanOf } from "./token-stream.ts";

/** One item between parentheses: `value`, `name=value`, or `value:result` in `case` and lambda operators. */
export type Argument = {
  readonly name: IToken | null;
  readonly value: SyntaxNode;
  readonly result: SyntaxNode | null;
  readonly colon: IToken | null;
  /** Range of the value, including parentheses. */
  readonly span: Span;
  /** End of the whole argument. */
  readonly end: number;
};

export type Arguments = Span & { readonly open: IToken; readonly items: readonly Argument[] };

/** A node, or a fault: what was expected and where. */
export type CallReading = SyntaxNode | { readonly expected: string; readonly at: Span };

export const isFault = (reading: CallReading): reading is { readonly expected: string; readonly at: Span } =>
  !("kind" in reading);

const keyValues: ReadonlySet<SyntaxNode["kind"]> = new Set(["Literal", "Alias", "Enum"]);
/** Kinds of nodes that a key predicate can follow. */
const keyed: ReadonlySet<SyntaxNode["kind"]> = new Set(["Name", "Member", "Method", "Filter"]);

/** Converts an argument of `cast` or `isof` to a type name; returns null if it is not one. */
function typeOf(node: SyntaxNode): SyntaxNode | null {
  const { start, end } = node;
  if (node.kind === "Name" && !node.name.startsWith("$"))
    return { kind: "Type", start, end, name: node.name };
  if (node.kind !== "Call" || node.name !== "Collection" || node.args.length !== 1) return null;
  const [item] = node.args;
  return item?.kind === "Name" ? { kind: "Type", start, end, name: `Collection(${item.name})` } : null;
}

/** Builds `case(condition:value,…)`. */
function caseOf(span: Span, args: Arguments): CallReading {
  const branches: { condition: SyntaxNode; value: SyntaxNode }[] = [];
  for (const { name, value, result, span: at } of args.items) {
    if (name !== null) return { expected: "a condition", at: spanOf(name) };
    if (result === null) return { expected: "`:`", at: { start: at.end, end: at.end + 1 } };
    branches.push({ condition: value, value: result });
  }
  if (branches.length === 0) return { expected: "a condition", at: { start: args.end - 1, end: args.end } };
  return { kind: "Case", ...span, branches };
}

/** Builds `base/any(variable:predicate)`. */
function lambdaOf(span: Span, base: SyntaxNode, operator: "any" | "all", args: Arguments): CallReading {
  const [first, second] = args.items;
  if (second !== undefined)
    return { expected: "`)`", at: { start: first?.end ?? args.start, end: (first?.end ?? args.start) + 1 } };
  if (first === undefined) {
    if (operator === "any")
      return { kind: "Lambda", ...span, operator, base, variable: null, predicate: null };
    return { expected: "a lambda variable", at: { start: args.end - 1, end: args.end } };
  }
  const { name, value, result } = first;
  const bare = value.kind === "Name" && value.start === first.span.start && /^[^.$]+$/.test(value.name);
  if (name !== null) return { expected: "`:`", at: { start: args.open.startOffset, end: args.end } };
  if (!bare) return { expected: "a lambda variable", at: first.span };
  if (result === null) return { expected: "`:`", at: { start: first.span.end, end: first.span.end + 1 } };
  return { kind: "Lambda", ...span, operator, base, variable: value.name, predicate: result };
}

type Named = readonly { readonly name: string; readonly value: SyntaxNode }[];

/** Returns the named arguments; null if no argument has a name. Mixing both is a fault. */
function namesOf(args: Arguments): Named | null | { readonly expected: string; readonly at: Span } {
  const named: { name: string; value: SyntaxNode }[] = [];
  for (const { name, value, span, colon } of args.items) {
    if (colon !== null) return { expected: "`,` or `)`", at: spanOf(colon) };
    if ((name === null) !== (args.items[0]?.name === null)) {
      return {
        expected: name === null ? "a parameter name" : "a value",
        at: name === null ? span : spanOf(name),
      };
    }
    if (name !== null) named.push({ name: name.image, value });
  }
  return named.length > 0 ? named : null;
}

function keyOf(span: Span, base: SyntaxNode, args: Arguments, named: Named | null): SyntaxNode {
  const first = args.items[0] as Argument;
  return { kind: "Key", ...span, base, key: named ?? [{ name: null, value: first.value }] };
}

/**
 * Builds `name(…)` at the start of an expression. Its form alone decides whether it is a call, a bound function, or
 * an item addressed by its key.
 */
function callOf(span: Span, base: SyntaxNode & { kind: "Name" }, args: Arguments): CallReading {
  const { name } = base;
  const lower = name.toLowerCase();
  const open = spanOf(args.open);
  if (lower === "case") return caseOf(span, args);
  const named = namesOf(args);
  if (named !== null && "expected" in named) return named;
  const dotted = name.includes(".") && !lower.startsWith("geo.");
  if (named !== null) {
    const key = !dotted && named.every(({ value }) => keyValues.has(value.kind));
    return key ? keyOf(span, base, args, named) : { kind: "Method", ...span, base: null, name, args: named };
  }
  const values = args.items.map(({ value }) => value);
  if (dotted && values.length === 0) return { kind: "Method", ...span, base: null, name, args: [] };
  const only = values.length === 1 ? values[0] : undefined;
  if (dotted || (only !== undefined && keyValues.has(only.kind) && !isCanonicalFunction(name))) {
    if (only !== undefined) return keyOf(span, base, args, null);
    return { expected: "named arguments", at: args.items[0]?.span ?? open };
  }
  if (lower === "cast" || lower === "isof") {
    const last = values.pop();
    const type = last === undefined ? null : typeOf(last);
    if (type === null || values.length > 1) {
      return {
        expected: "a type name",
        at: args.items.at(-1)?.span ?? { start: args.end - 1, end: args.end },
      };
    }
    values.push(type);
  }
  return { kind: "Call", ...span, name, args: values };
}

/** Builds `base(…)`, where `base` is a name, a path that ends in a name, or a collection. */
export function applyArguments(base: SyntaxNode, args: Arguments): CallReading {
  const span = { start: base.start, end: args.end };
  if (base.kind === "Name" && !base.name.startsWith("$")) return callOf(span, base, args);
  const open = spanOf(args.open);
  // In `F(a=1)(2)`, the form implies that `F(a=1)` is a function that returns a collection, and `2` a key in it.
  const afterNames = base.kind === "Key" && base.key.every(({ name }) => name !== null);
  if ((!keyed.has(base.kind) && !afterNames) || base.kind === "Name") {
    return { expected: "an operator or the end of the text", at: open };
  }
  if (base.kind === "Member") {
    const lower = base.name.toLowerCase();
    if (lower === "any" || lower === "all") return lambdaOf(span, base.base, lower, args);
  }
  const named = namesOf(args);
  if (named !== null && "expected" in named) return named;
  const values = args.items.map(({ value }) => value);
  if (base.kind === "Member") {
    const key =
      named === null
        ? values.length > 0
        : !base.name.includes(".") && named.every(({ value }) => keyValues.has(value.kind));
    if (!key) return { kind: "Method", ...span, base: base.base, name: base.name, args: named ?? [] };
  }
  if (values.length === 0) return { expected: "a key", at: { start: args.end - 1, end: args.end } };
  if (named === null && values.length > 1) {
    return {
      expected: "`)`",
      at: { start: args.items[0]?.span.end ?? 0, end: (args.items[0]?.span.end ?? 0) + 1 },
    };
  }
  return keyOf(span, base, args, named);
}

/** Returns the last argument if `base` is `cast`, `isof` or `Collection`. If it is a qualified name, it is a type. */
export function typeArgument(base: SyntaxNode, args: Arguments): SyntaxNode | undefined {
  if (base.kind !== "Name" || !/^(?:cast|isof|collection)$/i.test(base.name)) return undefined;
  return args.items.at(-1)?.value;
}
