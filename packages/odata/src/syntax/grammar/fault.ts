import { QueryError } from "../../errors.ts";
import type { Span } from "../tree.ts";

/** Longest piece of the query that an error repeats, in UTF-16 code units. */
const longestQuote = 40;

/** What stands at an offset, in words that end a sentence. */
function foundAt(text: string, span: Span): string {
  if (span.start >= text.length) return "the end of the text";
  const piece = text.slice(span.start, Math.max(span.end, span.start + 1));
  if (/^[ \t]+$/.test(piece)) return "white space";
  return piece.length > longestQuote ? `\`${piece.slice(0, longestQuote)}…\`` : `\`${piece}\``;
}

/** The refusal of `text`, which should have `expected` where `span` is. */
export function syntaxError(text: string, span: Span, expected: string): QueryError {
  return new QueryError("syntax_error", span, { expected, found: foundAt(text, span) });
}

/** What stands where no alternative of a rule fits, by the rule's name. */
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

/** What may follow the whole of a rule, by the rule's name. */
const followers: Readonly<Record<string, string>> = {
  orderBy: "`asc`, `desc`, `,` or the end of the text",
  select: "`,` or the end of the text",
  expand: "`,` or the end of the text",
  compute: "`,` or the end of the text",
  search: "a word or the end of the text",
  sequence: "`/` or the end of the text",
};

/** What the items of a list are and what stands between them, by the name of the list's rule. */
const lists: Readonly<Record<string, readonly [item: string, separator: string]>> = {
  arguments: ["a value", "`,`"],
  members: ["a literal", "`,`"],
  array: ["a value", "`,`"],
  object: ["a JSON string", "`,`"],
  parameterNames: ["a name", "`,`"],
  options: ["a query option", "`;`"],
  countOptions: ["a query option", "`;`"],
};

/** An exception of the library: what rule failed, at which offset, for want of what. */
export type Failure = {
  readonly name: string;
  /** The label of the token that was expected. */
  readonly message: string;
  readonly start: number;
  /** The innermost rule, and the one that was run. */
  readonly rule: string;
  readonly whole: string;
};

/** What a failure is for want of, in words. */
export function wantedBy({ name, message, start, rule, whole }: Failure, text: string): string {
  if (name === "NotAllInputParsedException") return followers[whole] ?? "an operator or the end of the text";
  if (name !== "MismatchedTokenException") return alternatives[rule] ?? "a value";
  const list = /^`[)\]}]`$/.test(message) ? lists[rule] : undefined;
  if (list === undefined) return message;
  return `${/[([{][ \t]*$/.test(text.slice(0, start)) ? list[0] : list[1]} or ${message}`;
}

const operatorAlone = /(?:^|[ \t(,])((?:and|or|eq|ne|gt|ge|lt|le|add|sub|mul|div|divby|mod|has|in)[ \t]+)$/i;

/** The operator that stands before `at` where a value should, and was taken for a name. */
export function operatorBefore(text: string, at: number): Span | undefined {
  const from = Math.max(0, at - longestQuote);
  const word = operatorAlone.exec(text.slice(from, at))?.[1];
  return word === undefined
    ? undefined
    : { start: at - word.length, end: at - word.length + word.trimEnd().length };
}
