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
