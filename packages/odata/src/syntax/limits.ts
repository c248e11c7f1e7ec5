import { QueryError } from "../errors.ts";
import type { Span } from "./tree.ts";

/** How large a query may be. Source: the project's default limits; every one can be set per call. */
export type Limits = {
  /** Depth of parentheses, brackets, braces, calls, `not` and unary minus inside each other. */
  readonly nesting: number;
  /** Syntax nodes of one option. */
  readonly nodes: number;
  /** Values of one list after `in`. */
  readonly listItems: number;
  /** UTF-16 code units of one option's decoded text. */
  readonly textLength: number;
  /** Items of one `$orderby`. */
  readonly orderByItems: number;
  /** Lambda operators inside each other. */
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

/** The words by which `query_too_complex` names what is too large. */
const measures = {
  nesting: "the nesting depth",
  nodes: "the number of expressions",
  listItems: "the number of values in a list",
  textLength: "the length of the text",
  orderByItems: "the number of `$orderby` items",
  lambdaDepth: "the depth of lambda operators",
} as const satisfies Record<keyof Limits, string>;

/** Deepest nesting that any caller can ask for: below what exhausts the stack of the grammar. */
export const deepestNesting = 256;

/** The refusal of a query that exceeds `limits` in `measure`. */
export function tooComplex(limits: Limits, measure: keyof Limits, span: Span | null): QueryError {
  const limit = measure === "nesting" ? Math.min(limits.nesting, deepestNesting) : limits[measure];
  return new QueryError("query_too_complex", span, { measure: measures[measure], limit });
}

/** The refusal of a query that is nested more deeply than `limit`. */
export const tooDeep = (limit: number, span: Span): QueryError =>
  new QueryError("query_too_complex", span, { measure: measures.nesting, limit });

/**
 * Refuse `text` before it is tokenized: too long, holding U+0000, or nested too deeply. One pass, no
 * recursion. Brackets inside quotes are not counted; an unbalanced quote ends the count.
 */
export function admit(text: string, limits: Limits): void {
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
