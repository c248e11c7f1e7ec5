import type { IToken, TokenType } from "chevrotain";
import type { Chevrotain } from "./chevrotain.ts";
import { isEncoded } from "./encoded.ts";

/**
 * Returns the end of an option's text inside parentheses: the first `;` or `)` that is neither quoted nor nested.
 * Apostrophes quote anywhere in `$apply`, but in `$search` only as the first character.
 */
function endOfOption(text: string, from: number, apostrophes: boolean): number {
  let depth = 0;
  let quote = "";
  const quoted = apostrophes || text[from] === "'";
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote !== "") {
      if (character === "\\" && quote === '"') at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || (character === "'" && quoted)) quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character === ";" && depth === 0 && !isEncoded(at)) return at;
  }
  return text.length;
}

const undollared = /^[as]/i;

/** True if `search=` after the last of `tokens` is an option, and not a parameter of that name. */
function opensOption(tokens: readonly IToken[], written: string): boolean {
  const last = tokens.at(-1);
  if (last?.image === ";") return true;
  if (last?.image !== "(") return false;
  if (!undollared.test(written)) return true;
  let at = tokens.length - 2;
  if (tokens[at]?.image.toLowerCase() === "$count") return true;
  while (at > 1 && tokens[at - 1]?.image === "/") at -= 2;
  const before = tokens[at - 1];
  return before === undefined || before.image === "," || /expand$/i.test(tokens[at - 2]?.image ?? "");
}

/** Matches `$search=` or `$apply=` with its text as one token, because these languages have grammars of their own. */
function matchOption(name: "search" | "apply") {
  const head = new RegExp(`\\$?${name}=`, "iy");
  return (text: string, from: number, tokens: readonly IToken[]): [string] | null => {
    head.lastIndex = from;
    const written = head.exec(text)?.[0];
    if (written === undefined || !opensOption(tokens, written)) return null;
    return [text.slice(from, endOfOption(text, from + written.length, name === "apply"))];
  };
}

/** Matches the text between the parentheses of the transformation `search(…)`. */
function matchSearchArgument(text: string, from: number, tokens: readonly IToken[]): [string] | null {
  const inside = tokens.at(-1)?.image === "(" && tokens.at(-2)?.image.toLowerCase() === "search";
  const before = tokens.at(-3)?.image;
  if (!inside || !(before === undefined || ["/", "(", ","].includes(before))) return null;
  const end = endOfOption(text, from, false);
  return end > from ? [text.slice(from, end)] : null;
}

/**
 * Creates the token types of expressions, `$select`, `$expand` and `$apply`. The lexer uses the first pattern that
 * matches, so their order matters. Keywords are also names (a property may be called `eq`): the parser
 * distinguishes them by their position.
 *
 * Source: OData 4.01 ABNF.
 */
export function createTokens({ createToken, Lexer }: Chevrotain) {
  const Name = createToken({
    name: "Name",
    label: "a name",
    pattern: /[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*(?:\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)*/,
  });
  const Literal = createToken({ name: "Literal", label: "a literal", pattern: Lexer.NA });
  const Operator = createToken({ name: "Operator", label: "an operator", pattern: Lexer.NA });
  const Dollar = createToken({ name: "Dollar", label: "a system resource", pattern: /\$[A-Za-z]+/ });

  const all: TokenType[] = [];
  const token = (
    name: string,
    pattern: RegExp | string,
    label: string,
    ...categories: TokenType[]
  ): TokenType => {
    const type = createToken({ name, pattern, label, categories });
    all.push(type);
    return type;
  };
  const word = (name: string, pattern: RegExp, ...categories: TokenType[]): TokenType => {
    const type = createToken({
      name,
      pattern,
      label: `\`${name.toLowerCase()}\``,
      longer_alt: Name,
      categories: [Name, ...categories],
    });
    all.push(type);
    return type;
  };

  all.push(createToken({ name: "Space", pattern: /[ \t]+/, group: Lexer.SKIPPED }));
  const SearchOption = createToken({
    name: "SearchOption",
    label: "`$search`",
    pattern: matchOption("search"),
    start_chars_hint: ["$", "s", "S"],
    line_breaks: false,
  });
  const ApplyOption = createToken({
    name: "ApplyOption",
    label: "`$apply`",
    pattern: matchOption("apply"),
    start_chars_hint: ["$", "a", "A"],
    line_breaks: false,
  });
  all.push(SearchOption, ApplyOption);
  const Geo = token("Geo", /geo(?:graphy|metry)'(?:[^']|'')*'/i, "a literal", Literal);
  const Duration = token("Duration", /duration'[^']*'/i, "a literal", Literal);
  const Binary = token("Binary", /binary'[^']*'/i, "a literal", Literal);
  const Enum = token(
    "Enum",
    /[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*(?:\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)+'[^']*'/,
    "a literal",
    Literal,
  );
  const QualifiedStar = token(
    "QualifiedStar",
    /[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*(?:\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)*\.\*/,
    "a name",
  );
  const Guid = token(
    "Guid",
    /[\dA-F]{8}-[\dA-F]{4}-[\dA-F]{4}-[\dA-F]{4}-[\dA-F]{12}/i,
    "a literal",
    Literal,
  );
  const DateTimeOffset = token(
    "DateTimeOffset",
    /-?\d{4,}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/i,
    "a literal",
    Literal,
  );
  const DateOnly = token("Date", /-?\d{4,}-\d\d-\d\d/, "a literal", Literal);
  // In `case(Beds eq 10:9223)`, `10:92` is followed by a third digit: it is a number, a colon and a number, not a
  // time.
  const TimeOfDay = token("TimeOfDay", /\d\d:\d\d(?!\d)(?::\d\d(?:\.\d+)?)?/, "a literal", Literal);
  const Numeral = token("Numeral", /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, "a literal", Literal);
  const NegativeInfinity = token("NegativeInfinity", /-INF(?![\w.\u0080-\uFFFF])/, "a literal", Literal);
  const Text = token("String", /'(?:[^']|'')*'/, "a literal", Literal);
  const JsonText = token("JsonString", /"(?:[^"\\]|\\[\s\S])*"/, "a JSON string");

  const Null = word("Null", /null/i, Literal);
  const Truth = word("Boolean", /true|false/i, Literal);
  const InfinityOrNaN = word("InfinityOrNaN", /INF|NaN/, Literal);
  word("Logical", /and|or/i, Operator);
  word("Compare", /eq|ne|gt|ge|lt|le/i, Operator);
  word("Arithmetic", /add|sub|mul|divby|div|mod/i, Operator);
  const Has = word("Has", /has/i);
  const In = word("In", /in/i);
  const Not = word("Not", /not/i);
  const Direction = word("Direction", /asc|desc/i);
  const As = word("As", /as/i);
  const With = word("With", /with/i);
  const From = word("From", /from/i);
  const Aggregate = word("Aggregate", /aggregate/i);
  const Lambda = word("Lambda", /any|all/i);
  all.push(Name);

  const dollar = (name: string, pattern: RegExp, label: string): TokenType => {
    const type = createToken({ name, pattern, label, longer_alt: Dollar, categories: [Dollar] });
    all.push(type);
    return type;
  };
  const Root = dollar("Root", /\$root/, "`$root`");
  const Current = dollar("Current", /\$(?:it|these|this)/, "`$it`");
  const Count = dollar("Count", /\$count/i, "`$count`");
  const Filter = dollar("Filter", /\$filter/i, "`$filter`");
  all.push(Dollar);
  const At = token(
    "At",
    /@[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*(?:\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)*(?:#[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?/,
    "an alias",
  );
  const punctuation = {
    OpenParen: token("OpenParen", "(", "`(`"),
    CloseParen: token("CloseParen", ")", "`)`"),
    OpenBracket: token("OpenBracket", "[", "`[`"),
    CloseBracket: token("CloseBracket", "]", "`]`"),
    OpenBrace: token("OpenBrace", "{", "`{`"),
    CloseBrace: token("CloseBrace", "}", "`}`"),
    Comma: token("Comma", ",", "`,`"),
    Colon: token("Colon", ":", "`:`"),
    Semicolon: token("Semicolon", ";", "`;`"),
    Equals: token("Equals", "=", "`=`"),
    Slash: token("Slash", "/", "`/`"),
    Star: token("Star", "*", "`*`"),
    Minus: token("Minus", "-", "`-`"),
  };
  token("OpenText", /'[\s\S]*/, "a closing `'`");
  token("OpenJson", /"[\s\S]*/, 'a closing `"`');
  token("Junk", /[\0-\uFFFF]/, "nothing");

  /** Only the lexer of `$apply` uses it. */
  const SearchArgument = createToken({
    name: "SearchArgument",
    label: "a search",
    pattern: matchSearchArgument,
    line_breaks: false,
  });

  return {
    ...punctuation,
    Name,
    Literal,
    Operator,
    Dollar,
    SearchOption,
    ApplyOption,
    SearchArgument,
    Geo,
    Duration,
    Binary,
    Enum,
    QualifiedStar,
    Guid,
    DateTimeOffset,
    DateOnly,
    TimeOfDay,
    Numeral,
    NegativeInfinity,
    Text,
    JsonText,
    Null,
    Truth,
    InfinityOrNaN,
    Has,
    In,
    Not,
    Direction,
    As,
    With,
    From,
    Aggregate,
    Lambda,
    Root,
    Current,
    Count,
    Filter,
    At,
    expressionTokens: [Literal, Operator, ...all],
    applyTokens: [Literal, Operator, SearchArgument, ...all],
  };
}

export type Tokens = ReturnType<typeof createTokens>;
