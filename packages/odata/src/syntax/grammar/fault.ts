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
