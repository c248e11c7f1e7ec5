import type { IToken, TokenType } from "chevrotain";
import { tokenTypeName } from "./token-stream.ts";

/** Expected input when no alternative of a rule matches, by the rule's name. */
const alternatives: Readonly<Record<string, string>> = {
  segment: "a path segment",
  countOptions: "`$filter` or `$search`",
  select: "an item of `$select`",
  selectItem: "an item of `$select`",
  expand: "an item of `$expand`",
  expandItem: "an item of `$expand`",
  options: "a query option",
  itemOption: "a query option",
  namedOption: "a value of the option",
  transformation: "an argument",
  grouped: "a path or `rollup`",
  grouping: "a path or `rollup`",
  searchOperand: "a word",
};

/** Expected input after a complete rule, by the rule's name. */
const followers: Readonly<Record<string, string>> = {
  orderBy: "`asc`, `desc`, `,` or the end of the text",
  select: "`,` or the end of the text",
  expand: "`,` or the end of the text",
  compute: "`,` or the end of the text",
  search: "a word or the end of the text",
  sequence: "`/` or the end of the text",
};

/** Descriptions of a list's items and separator, by the name of the list's rule. */
const lists: Readonly<Record<string, readonly [item: string, separator: string]>> = {
  arguments: ["a value", "`,`"],
  members: ["a literal", "`,`"],
  array: ["a value", "`,`"],
  object: ["a JSON string", "`,`"],
  parameterNames: ["a name", "`,`"],
  options: ["a query option", "`;`"],
  countOptions: ["a query option", "`;`"],
};

/** A failure of the library's parser: what is missing, the tokens before it, and the rules in which it occurred. */
export type Failure = {
  /** A token of this type, one of the alternatives of the rule, or the end of the text. */
  readonly missing: TokenType | "alternative" | "end";
  readonly before: readonly IToken[];
  /** Name of the innermost rule. `whole` is the name of the rule that was started. */
  readonly rule: string;
  readonly whole: string;
  /** True inside parentheses, brackets or braces. */
  readonly nested: boolean;
};

/** Expected input. `slot` tells whether a value or an operator of an expression belongs at this position. */
export type Expectation = { readonly text: string; readonly slot: "value" | "operator" | null };

const openers: ReadonlySet<string> = new Set(["OpenParen", "OpenBracket", "OpenBrace"]);
const closers: ReadonlySet<string> = new Set(["CloseParen", "CloseBracket", "CloseBrace"]);

/** Names of the rules that end with an expression, and of the token types that can follow an expression. */
const expressionRules: ReadonlySet<string> = new Set(["expression", "orderBy", "compute"]);
const expressionEnds: ReadonlySet<string> = new Set(["CloseParen", "As"]);

/** Describes the input that was expected when a failure occurred. */
export function expectationOf({ missing, before, rule, whole, nested }: Failure): Expectation {
  if (missing === "alternative") {
    const text = alternatives[rule];
    return text === undefined ? { text: "a value", slot: "value" } : { text, slot: null };
  }
  const inExpression = nested || expressionRules.has(whole);
  if (missing === "end") {
    const text = followers[whole] ?? "an operator or the end of the text";
    return { text, slot: inExpression ? "operator" : null };
  }
  const slot = inExpression && expressionEnds.has(missing.name) ? "operator" : null;
  const label = missing.LABEL ?? missing.name;
  const list = closers.has(missing.name) ? lists[rule] : undefined;
  if (list === undefined) return { text: label, slot };
  const [item, separator] = list;
  return { text: `${openers.has(tokenTypeName(before.at(-1))) ? item : separator} or ${label}`, slot };
}
