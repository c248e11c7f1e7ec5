import { QueryError } from "../errors.ts";
import type { Span } from "./tree.ts";

/** Size limits of a query. The defaults are the project's own; each can be set per call. */
export type Limits = {
  /** Depth of nested parentheses, brackets, braces, calls, `not` and unary minus. */
  readonly nesting: number;
  /** Number of syntax nodes of one option. */
  readonly nodes: number;
  /** Number of values of one list after `in`. */
  readonly listItems: number;
  /** Length of one option's decoded text, in UTF-16 code units. */
  readonly textLength: number;
  /** Number of items of one `$orderby`. */
  readonly orderByItems: number;
  /** Depth of nested lambda operators. */
  readonly lambdaDepth: number;
};

export const defaultLimits: Limits = {
  nesting: 64,
  nodes: 2000,
  listItems: 1000,
  textLength: 32_768,
  orderByItems: 8,
  lambdaDepth: 2,
};

/** Names of the limits in the messages of `query_too_complex`. */
const measures = {
  nesting: "the nesting depth",
  nodes: "the number of expressions",
  listItems: "the number of values in a list",
  textLength: "the length of the text",
  orderByItems: "the number of `$orderby` items",
  lambdaDepth: "the depth of lambda operators",
} as const satisfies Record<keyof Limits, string>;

/** Upper bound of the nesting limit: deeper nesting could overflow the stack of the grammar. */
export const deepestNesting = 256;

/** Returns the error for a query that exceeds `limits` in `measure`. */
export function tooComplex(limits: Limits, measure: keyof Limits, span: Span | null): QueryError {
  const limit = measure === "nesting" ? Math.min(limits.nesting, deepestNesting) : limits[measure];
  return new QueryError("query_too_complex", span, { measure: measures[measure], limit });
}

/** Returns the error for a query that is nested more deeply than `limit`. */
export const tooDeep = (limit: number, span: Span): QueryError =>
  new QueryError("query_too_complex", span, { measure: measures.nesting, limit });

/**
 * Checks `text` before it is tokenized: refuses text that is too long, contains U+0000, or is nested too deeply. A
 * single pass without recursion. Brackets inside quotes are not counted; the count stops at an unclosed quote.
 */
export function checkTextLength(text: string, limits: Limits): void {
  if (text.length > limits.textLength) {
    throw tooComplex(limits, "textLength", { start: limits.textLength, end: text.length });
  }
  const deepest = Math.min(limits.nesting, deepestNesting);
  let depth = 0;
  const nul = text.indexOf("\0");
  if (nul >= 0) {
    const details = { expected: "a character other than U+0000", found: "U+0000" };
    throw new QueryError("syntax_error", { start: nul, end: nul + 1 }, details);
  }
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 34 || code === 39) {
      const close = text.indexOf(code === 39 ? "'" : '"', i + 1);
      if (close < 0) return;
      i = close;
    } else if (code === 40 || code === 91 || code === 123) {
      depth += 1;
      if (depth > deepest) throw tooComplex(limits, "nesting", { start: i, end: i + 1 });
    } else if (code === 41 || code === 93 || code === 125) {
      depth -= 1;
    }
  }
}
