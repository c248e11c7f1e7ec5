import { textLiteral } from "../print/literal.ts";
import type { Span, SyntaxNode } from "../tree.ts";

/** A frequent mistake: its position, and what is expected in its place. */
export type Mistake = Span & { readonly expected: string };

type Row = readonly [pattern: RegExp, expected: string];

/** Local number and date formats. Every pattern is sticky and begins after the first digits. */
const forNumerals: readonly Row[] = [
  [/(?<=\d)[-/]\d+(?:[-/]\d+)?/y, "a date such as `2024-01-31`"],
  [/(?<=\d),\d{3}(?!\d)/y, "a number without `,`"],
];

/** Operators of other languages. Every pattern is sticky. */
const forOperators: readonly Row[] = [
  [/={1,3}/y, "`eq`"],
  [/!={1,2}|<>/y, "`ne`"],
  [/>=/y, "`ge`"],
  [/<=/y, "`le`"],
  [/>/y, "`gt`"],
  [/</y, "`lt`"],
  [/&{1,2}/y, "`and`"],
  [/\|{1,2}/y, "`or`"],
  [/\+/y, "`add`"],
  [/(?<=[ \t)])-/y, "`sub`"],
  [/\*/y, "`mul`"],
  [/(?<=[ \t)])\/(?=[ \t])/y, "`div`"],
  [/%(?![\dA-F]{2})/iy, "`mod`"],
  [/is[ \t]+not[ \t]+null\b/iy, "`ne null`"],
  [/is[ \t]+null\b/iy, "`eq null`"],
  [/is[ \t]+not\b|not[ \t]+equals?\b|neq?\b/iy, "`ne`"],
  [/is\b|equals?\b/iy, "`eq`"],
  [/gte\b/iy, "`ge`"],
  [/lte\b/iy, "`le`"],
  [/not[ \t]+in\b/iy, "`in`, and `not` before the whole comparison"],
  [/between\b/iy, "`ge` and `le`"],
  [/(?:contains|i?like)\b/iy, "`contains(field,'text')`"],
  [/startswith\b/iy, "`startswith(field,'text')`"],
  [/endswith\b/iy, "`endswith(field,'text')`"],
  [/(?<=\w[ \t]+)\(/y, "no white space between the name of a function and `(`"],
  [
    /(?<=[ \t](?:eq|ne)[ \t]+[A-Z]\w*[ \t]+)[A-Z]\w*(?![\w(/])/y,
    "an operator, or single quotes around the text",
  ],
  [/(?<=[ \t(]in[ \t]+(?:'[^']*'|[\w.-]+)),/iy, "parentheses around the values of `in`"],
];

/** Maximum length of a text that an error message repeats with corrected quotes. */
const longestQuote = 40;

const single = (value: string): string => `\`${textLiteral(value)}\``;

function match(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A shape as well-known text without quotes, up to where it is no list of arguments any more. */
const bareShape =
  /(?:SRID=\d{1,5};)?(?:POINT|LINESTRING|POLYGON|MULTI[A-Z]{1,20})[ ]?\([( ]*[-+.\d]+[ ]+$|SRID=\d{1,5}$/i;
/** The rest of a shape, to its last parenthesis. */
const shapeRest = /^[-+.\d ,()]*\)|^;[A-Z]{1,20}[ ]?\([-+.\d ,()]*\)/i;

/** Returns the mistake of a shape without prefix and quotes, which is noticed at `at`. */
function shapeSlip(text: string, at: number): Mistake | undefined {
  const before = bareShape.exec(text.slice(Math.max(0, at - longestShape), at))?.[0];
  const rest = before && shapeRest.exec(text.slice(at, at + longestShape))?.[0];
  if (before === undefined || rest === undefined) return undefined;
  const start = at - before.length;
  const written = text.slice(start, at + closedLength(before + rest) - before.length);
  const expected =
    written.length > longestQuote ? "`geography'…'` around the shape" : `\`geography'${written}'\``;
  return { expected, start, end: start + written.length };
}

/** Maximum length of the two halves of a shape that are looked at. */
const longestShape = 400;

/** Returns the length of a text up to the parenthesis that closes its first one; all of it, if there is none. */
function closedLength(text: string): number {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") open += 1;
    if (text[i] === ")" && --open === 0) return i + 1;
  }
  return text.length;
}

/** Returns the mistake at `at`, where an operator is expected. */
export function operatorSlip(text: string, at: number): Mistake | undefined {
  const bare = shapeSlip(text, at);
  if (bare !== undefined) return bare;
  for (const [pattern, expected] of forNumerals) {
    const found = match(text, at, pattern);
    if (found === null) continue;
    const digits = /\d+$/.exec(text.slice(Math.max(0, at - longestQuote), at))?.[0].length ?? 0;
    return { expected, start: at - digits, end: at + found[0].length };
  }
  for (const [pattern, expected] of forOperators) {
    const found = match(text, at, pattern);
    if (found !== null) return { expected, start: at, end: at + found[0].length };
  }
  return undefined;
}

const otherQuotes = /"([^"]*)"|[‘’‚]([^‘’]*)[‘’]|[“”„]([^“”]*)[“”]/y;
const bareFraction = /\.\d+/y;
const exclamation = /!/y;
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/**
 * Returns the mistake at `at`, where a value is expected. `compared` tells that the value is compared or in a list,
 * and therefore not a name.
 */
export function valueSlip(text: string, at: number, compared: boolean): Mistake | undefined {
  const quoted = match(text, at, otherQuotes);
  if (quoted !== null) {
    const value = quoted[1] ?? quoted[2] ?? quoted[3] ?? "";
    const end = at + quoted[0].length;
    if (!compared && identifier.test(value)) return { expected: "a name without quotes", start: at, end };
    const expected = value.length > longestQuote ? "text in single quotes" : single(value);
    return { expected, start: at, end };
  }
  const fraction = match(text, at, bareFraction);
  if (fraction !== null && fraction[0].length <= longestQuote) {
    return { expected: `\`0${fraction[0]}\``, start: at, end: at + fraction[0].length };
  }
  return match(text, at, exclamation) === null ? undefined : { expected: "`not`", start: at, end: at + 1 };
}

/** Describes the literal that is expected in place of an item of a list: a name is most likely a text without its quotes. */
export const expectedItem = (node: SyntaxNode): string => textWithoutQuotes(node) ?? "a literal";

/** Describes what is expected in place of the comma after `node` in parentheses. */
export function expectedBeforeComma(node: SyntaxNode): string {
  const text = textWithoutQuotes(node);
  return text === undefined ? "`)`" : `\`)\`, or the text ${text} before it`;
}

const textWithoutQuotes = (node: SyntaxNode): string | undefined =>
  node.kind === "Name" && node.name.length <= longestQuote ? single(node.name) : undefined;

const oldPrefix = /(?<![\w.])(?:datetime|datetimeoffset|time|guid)$/i;
const dated = /\d-\d\d-\d\d$/;
/** A time or an exponent with a space for its plus sign: in the query part of a URL, `+` means a space. */
const lostPlus = /^(T\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?) (\d\d:\d\d)(?!\d)|^(e) (\d{1,4})(?!\d)/i;

/** Describes what is expected at `at`, between two words without white space. */
export function expectedBetween(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - longestQuote), at);
  if (text.charAt(at) === "'" && oldPrefix.test(before)) return "the value without prefix and quotes";
  const plus = /\d$/.test(before) ? lostPlus.exec(text.slice(at, at + longestQuote)) : null;
  if (plus !== null) {
    const [, time, offset, e = "", exponent = ""] = plus;
    return `\`${time ?? e}%2B${offset ?? exponent}\` (in a URL, \`+\` means a space; write \`%2B\` for a plus sign)`;
  }
  if (/^T\d/i.test(text.slice(at, at + 2)) && dated.test(before)) {
    return "a time with its offset, such as `T08:30:00Z`";
  }
  if (before.endsWith("'")) return "white space or an operator (a `'` inside text is written `''`)";
  return "white space or an operator";
}
