/** Kind of a piece of filter text, for a reader that does not need it to be complete. Dates, times and GUIDs count as numbers. */
export type TokenKind =
  | "path"
  | "string"
  | "number"
  | "open"
  | "close"
  | "comma"
  | "colon"
  | "alias"
  | "other";

/** A piece of filter text: `text` as it stands, at the half-open range of UTF-16 code units from `start` to `end`. */
export type Token = {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

/** How a token begins and goes on, by its kind. The first that fits counts; a string may lack its last apostrophe. */
const patterns: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  // Also literals with a prefix, such as `duration'P1D'` and `geography'POINT(1 2)'`.
  ["string", /(?:[A-Za-z_][\w.]*)?'(?:[^']|'')*(?:'|$)/y],
  ["string", /"(?:[^"\\]|\\.)*(?:"|$)/y],
  ["number", /[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}\b/y],
  ["number", /\d{4,}-\d\d(?:-\d\d(?:T[\d:.]*(?:Z|[+-][\d:]*)?)?)?|\d\d:\d\d(?::[\d.]*)?/y],
  ["number", /-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d*)?|INF\b)/y],
  ["path", /(?:\$[a-z]*|[\p{L}\p{Nl}_][\p{L}\p{N}_.]*)(?:\/(?:\$?[\p{L}\p{N}_.]*))*/uy],
  ["alias", /@\w*/y],
  ["open", /[([{]/y],
  ["close", /[)\]}]/y],
  ["comma", /,/y],
  ["colon", /:/y],
  ["other", /[^\s]/uy],
];

const space = /\s*/y;

/** Splits filter text into tokens, in order, without the white space between them. Total: any text has tokens. */
export function filterTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skip(text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(text, token.end);
  }
  return tokens;
}

function skip(text: string, at: number): number {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
}

/** Returns the token that begins at a position with no white space. */
export function tokenAt(text: string, start: number): Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start;
    if (pattern.test(text))
      return { kind, text: text.slice(start, pattern.lastIndex), start, end: pattern.lastIndex };
  }
  return { kind: "other", text: text.slice(start, start + 1), start, end: start + 1 };
}

/** True if a token is a string between apostrophes whose last apostrophe is missing. */
export const isOpenString = ({ kind, text }: Token): boolean =>
  kind === "string" && !text.startsWith('"') && (text.match(/'/g)?.length ?? 0) % 2 === 1;
