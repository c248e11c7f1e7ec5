import { QueryError } from "../../errors.ts";
import type { Span } from "../tree.ts";

/** Maximum length of the piece of a query that an error message quotes, in UTF-16 code units. */
const longestQuote = 40;

/** Describes the text at a position, for the end of an error message. */
function foundAt(text: string, span: Span): string {
  if (span.start >= text.length) return "the end of the text";
  const piece = text.slice(span.start, Math.max(span.end, span.start + 1));
  if (/^[ \t]+$/.test(piece)) return "white space";
  return piece.length > longestQuote ? `\`${piece.slice(0, longestQuote)}…\`` : `\`${piece}\``;
}

/** Returns the error for `text`, which should have `expected` at `span`. */
export function syntaxError(text: string, span: Span, expected: string): QueryError {
  return new QueryError("syntax_error", span, { expected, found: foundAt(text, span) });
}

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

/** A failure reported by the parsing library. */
export type Failure = {
  readonly name: string;
  /** Label of the expected token. */
  readonly message: string;
  readonly start: number;
  /** Name of the innermost rule. `whole` is the name of the rule that was started. */
  readonly rule: string;
  readonly whole: string;
};

/** Describes the input that was expected when a failure occurred. */
export function expectedInput({ name, message, start, rule, whole }: Failure, text: string): string {
  if (name === "NotAllInputParsedException") return followers[whole] ?? "an operator or the end of the text";
  if (name !== "MismatchedTokenException") return alternatives[rule] ?? "a value";
  const list = /^`[)\]}]`$/.test(message) ? lists[rule] : undefined;
  if (list === undefined) return message;
  return `${/[([{][ \t]*$/.test(text.slice(0, start)) ? list[0] : list[1]} or ${message}`;
}

const operatorAlone = /(?:^|[ \t(,])((?:and|or|eq|ne|gt|ge|lt|le|add|sub|mul|div|divby|mod|has|in)[ \t]+)$/i;

/** Returns the span of an operator directly before `at` that was parsed as a name because no value follows it. */
export function operatorBefore(text: string, at: number): Span | undefined {
  const from = Math.max(0, at - longestQuote);
  const word = operatorAlone.exec(text.slice(from, at))?.[1];
  return word === undefined
    ? undefined
    : { start: at - word.length, end: at - word.length + word.trimEnd().length };
}
