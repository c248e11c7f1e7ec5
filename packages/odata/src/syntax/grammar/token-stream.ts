import type { IToken, Lexer } from "chevrotain";
import type { Span } from "../tree.ts";
import { withOrigin } from "./encoded.ts";
import { syntaxError } from "./fault.ts";
import { expectedBetween, valueSlip } from "./mistakes.ts";

export const spanOf = (token: IToken): Span => ({
  start: token.startOffset,
  end: token.startOffset + token.image.length,
});

export const endOf = (token: IToken): number => token.startOffset + token.image.length;

const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;
const wordy = /^[\w\u0080-\uFFFF'"]/;
const wordyEnd = /[\w\u0080-\uFFFF'"]$/;
/** Matches tokens that need a closer check than the lexer's: names with letters beyond ASCII, and long names. */
const longOrForeign = /[^\0-\x7F]|[^.]{129}/;
const nameParts = /^[A-Za-z_\u0080-\uFFFF][\w.\u0080-\uFFFF]*$/;

/** Tokenizes `text` from offset `from` on. The offsets of the tokens are relative to the whole text. */
export function tokensFrom(lexer: Lexer, text: string, from: number): IToken[] {
  if (from === 0) return lexer.tokenize(text).tokens;
  const { tokens } = withOrigin(from, () => lexer.tokenize(text.slice(from)));
  for (const token of tokens) token.startOffset += from;
  return tokens;
}

/**
 * Tokenizes `text` from offset `from` on, and refuses an unclosed quote, a name with characters that are not
 * allowed in names, white space at the start, and two words without white space between them.
 *
 * @throws {QueryError} `syntax_error`
 */
export function tokenize(lexer: Lexer, text: string, from: number): IToken[] {
  if (/[ \t]/.test(text.charAt(from))) throw syntaxError(text, { start: from, end: from + 1 }, "a value");
  const tokens = tokensFrom(lexer, text, from);
  let previous: IToken | undefined;
  for (const token of tokens) {
    if (token.tokenType.name === "Open") {
      const expected = token.image.startsWith("'") ? "a closing `'`" : 'a closing `"`';
      throw syntaxError(text, { start: text.length, end: text.length }, expected);
    }
    const glued = previous !== undefined && endOf(previous) === token.startOffset;
    if (glued && wordy.test(token.image) && wordyEnd.test((previous as IToken).image)) {
      throw syntaxError(text, spanOf(token), expectedBetween(text, token.startOffset));
    }
    if (longOrForeign.test(token.image) && nameParts.test(token.image)) {
      for (const part of token.image.split(".")) {
        if (identifier.test(part)) continue;
        const slip = valueSlip(text, token.startOffset);
        const span = { start: token.startOffset, end: slip?.end ?? endOf(token) };
        throw syntaxError(text, span, slip?.expected ?? "a name");
      }
    }
    previous = token;
  }
  return tokens;
}
