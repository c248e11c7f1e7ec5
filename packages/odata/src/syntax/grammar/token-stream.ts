import type { IToken, Lexer } from "chevrotain";
import type { Span } from "../tree.ts";
import { syntaxError } from "./fault.ts";

export const spanOf = (token: IToken): Span => ({
  start: token.startOffset,
  end: token.startOffset + token.image.length,
});

export const endOf = (token: IToken): number => token.startOffset + token.image.length;

const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;
const wordy = /^[\w\u0080-\uFFFF'"]/;
const wordyEnd = /[\w\u0080-\uFFFF'"]$/;
const nameParts = /^[A-Za-z_\u0080-\uFFFF][\w.\u0080-\uFFFF]*$/;

/**
 * The tokens of `text` from the offset `from` on. Refused here: an open quote, a name with a character that names cannot have, white
 * space at the start, and two words with nothing between them.
 */
export function tokenize(lexer: Lexer, text: string, from: number): IToken[] {
  if (/[ \t]/.test(text.charAt(from))) throw syntaxError(text, { start: from, end: from + 1 }, "a value");
  // Blanks in place of what stands before keep every offset that of the whole text.
  const { tokens } = lexer.tokenize(from === 0 ? text : " ".repeat(from) + text.slice(from));
  let previous: IToken | undefined;
  for (const token of tokens) {
    if (token.tokenType.name === "Open") {
      const expected = token.image.startsWith("'") ? "a closing `'`" : 'a closing `"`';
      throw syntaxError(text, { start: text.length, end: text.length }, expected);
    }
    const glued = previous !== undefined && endOf(previous) === token.startOffset;
    if (glued && wordy.test(token.image) && wordyEnd.test((previous as IToken).image)) {
      throw syntaxError(text, spanOf(token), "white space or an operator");
    }
    if (nameParts.test(token.image)) {
      for (const part of token.image.split(".")) {
        if (!identifier.test(part)) throw syntaxError(text, spanOf(token), "a name");
      }
    }
    previous = token;
  }
  return tokens;
}
