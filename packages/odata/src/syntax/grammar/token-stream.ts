import type { IToken, Lexer } from "chevrotain";
import { operatorAt } from "../operators.ts";
import type { Span } from "../tree.ts";
import { withOrigin } from "./encoded.ts";
import { syntaxError } from "./fault.ts";
import { expectedBetween, valueSlip } from "./mistakes.ts";

export const spanOf = (token: IToken): Span => ({
  start: token.startOffset,
  end: token.startOffset + token.image.length,
});

export const endOf = (token: IToken): number => token.startOffset + token.image.length;

/** Returns the name of the type of `token`; an empty text if there is no token. */
export const tokenTypeName = (token: IToken | undefined): string => token?.tokenType.name ?? "";

/** True if the last of `tokens` is at the start of the text or follows white space. */
function isSpaced(tokens: readonly IToken[]): boolean {
  const before = tokens.at(-2);
  return before === undefined || endOf(before) !== tokens.at(-1)?.startOffset;
}

const comparing: ReadonlySet<string> = new Set(["Compare", "Has", "In"]);
const listStarts: ReadonlySet<string> = new Set(["OpenParen", "Comma"]);

/** For error messages: true if the tokens `before` are followed by the right operand of a comparison or by an item of a list. */
export const isOperandNext = (before: readonly IToken[]): boolean =>
  listStarts.has(tokenTypeName(before.at(-1))) ||
  (comparing.has(tokenTypeName(before.at(-1))) && isSpaced(before));

/**
 * For error messages: returns the span of the last of `tokens` if it is an operator that was parsed as a name because no value follows it.
 *
 * @param end offset after the tokens, where a value was expected
 */
export function operatorBefore(tokens: readonly IToken[], end: number): Span | undefined {
  const operator = tokens.at(-1);
  if (operator === undefined || endOf(operator) === end) return undefined;
  if (operatorAt(operator.image, 0, operator.image.length) === undefined) return undefined;
  const begins = isSpaced(tokens) || listStarts.has(tokenTypeName(tokens.at(-2)));
  return begins ? spanOf(operator) : undefined;
}

/**
 * Refuses a token that begins with a quote and is not closed.
 *
 * @throws {QueryError} `syntax_error`
 */
export function refuseUnclosed({ tokenType: { name, LABEL = name } }: IToken, text: string): void {
  if (name !== "OpenText" && name !== "OpenJson") return;
  throw syntaxError(text, { start: text.length, end: text.length }, LABEL);
}

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

const blanks = /[ \t]*/y;

/**
 * Refuses blanks at `from`, unless a JSON array or object follows. Source: OData 4.01 ABNF, `begin-array`.
 *
 * @throws {QueryError} `syntax_error`
 */
function refuseBlanks(text: string, from: number): void {
  blanks.lastIndex = from;
  const start = from + (blanks.exec(text)?.[0].length ?? 0);
  if (start === from || /[[{]/.test(text.charAt(start))) return;
  throw syntaxError(text, { start, end: start + 1 }, "a value without white space before it");
}

/**
 * Tokenizes `text` from offset `from` on, and refuses an unclosed quote, a name with characters that are not
 * allowed in names, white space at the start, and two words without white space between them.
 *
 * @throws {QueryError} `syntax_error`
 */
export function tokenize(lexer: Lexer, text: string, from: number): IToken[] {
  refuseBlanks(text, from);
  const tokens = tokensFrom(lexer, text, from);
  let end = -1;
  for (const token of tokens) {
    refuseUnclosed(token, text);
    if (end === token.startOffset && wordy.test(token.image) && wordyEnd.test(text.charAt(end - 1))) {
      throw syntaxError(text, spanOf(token), expectedBetween(text, token.startOffset));
    }
    if (longOrForeign.test(token.image) && nameParts.test(token.image)) {
      for (const part of token.image.split(".")) {
        if (identifier.test(part)) continue;
        const slip = valueSlip(
          text,
          token.startOffset,
          isOperandNext(tokens.slice(0, tokens.indexOf(token))),
        );
        const span = { start: token.startOffset, end: slip?.end ?? endOf(token) };
        throw syntaxError(text, span, slip?.expected ?? "a name");
      }
    }
    end = endOf(token);
  }
  return tokens;
}
