import type { IToken, TokenType } from "chevrotain";
import { type Limits, tooComplex } from "../limits.ts";
import { jsonString } from "../literal.ts";
import type { SearchNode, Span } from "../tree.ts";
import { type Chevrotain, loadChevrotain } from "./chevrotain.ts";
import { isEncoded } from "./encoded.ts";
import { syntaxError } from "./fault.ts";
import { createBase } from "./parser.ts";
import { endOf, refuseUnclosed, spanOf, tokensFrom } from "./token-stream.ts";

/** Matches a word in decoded text. A semicolon is part of a word only if it was percent-encoded. */
function matchWord(text: string, from: number): [string] | null {
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text[at] as string;
    if (/[ \t"()]/.test(character) || (character === "'" && at === from)) break;
    if (character === ";" && !isEncoded(at)) break;
  }
  return at > from ? [text.slice(from, at)] : null;
}

/**
 * Token types of `$search`.
 *
 * Source: OData 4.01 ABNF, `searchExpr`.
 */
function createSearchTokens({ createToken, Lexer }: Chevrotain) {
  const token = (name: string, label: string, pattern: RegExp | string) =>
    createToken({ name, label, pattern });
  const operator = (name: string) => createToken({ name, label: `\`${name}\``, pattern: Lexer.NA });
  return {
    Space: createToken({ name: "Space", pattern: /[ \t]+/, group: Lexer.SKIPPED }),
    Phrase: token("Phrase", "a phrase", /"(?:[^"\\]|\\[\s\S])*"/),
    Quoted: token("Quoted", "a text", /'(?:[^']|'')*'/),
    OpenParen: token("OpenParen", "`(`", "("),
    CloseParen: token("CloseParen", "`)`", ")"),
    Word: createToken({
      name: "Word",
      label: "a word",
      pattern: (text: string, offset: number) => matchWord(text, offset),
      line_breaks: false,
    }),
    OpenText: token("OpenText", "a closing `'`", /'[\s\S]*/),
    OpenJson: token("OpenJson", 'a closing `"`', /"[\s\S]*/),
    Junk: token("Junk", "nothing", /[\0-\uFFFF]/),
    And: operator("AND"),
    Or: operator("OR"),
    Not: operator("NOT"),
  };
}

type SearchTokens = ReturnType<typeof createSearchTokens>;

const wordsOf: Readonly<Record<string, "And" | "Or" | "Not">> = { AND: "And", OR: "Or", NOT: "Not" };

/**
 * Distinguishes operators from the words `AND`, `OR` and `NOT`: an operator is followed by an operand, and `AND`
 * and `OR` are also preceded by one.
 */
function classify(tokens: readonly IToken[], types: SearchTokens): IToken[] {
  let afterOperand = false;
  return tokens.map((token, index) => {
    const next = tokens[index + 1];
    const name = token.tokenType === types.Word ? wordsOf[token.image] : undefined;
    const isOperator =
      name !== undefined &&
      next !== undefined &&
      next.tokenType !== types.CloseParen &&
      (name === "Not" || afterOperand);
    afterOperand = !isOperator && token.tokenType !== types.OpenParen;
    if (!isOperator) return token;
    const tokenType = types[name];
    return { ...token, tokenType, tokenTypeIdx: tokenType.tokenTypeIdx as number };
  });
}

function createSearchGrammar(chevrotain: Chevrotain, T: SearchTokens, vocabulary: TokenType[]) {
  return class SearchGrammar extends createBase(chevrotain) {
    constructor() {
      super(vocabulary);
      this.performSelfAnalysis();
    }

    readonly search = this.RULE("search", (): SearchNode => {
      const start = this.ACTION(() => this.here());
      const operands = [this.SUBRULE(this.searchAnd)];
      this.MANY(() => {
        this.CONSUME(T.Or);
        operands.push(this.SUBRULE2(this.searchAnd));
      });
      return this.ACTION(() => this.chain("or", start, operands));
    });

    readonly searchAnd = this.RULE("searchAnd", (): SearchNode => {
      const start = this.ACTION(() => this.here());
      const operands = [this.SUBRULE(this.searchOperand)];
      this.MANY(() => {
        this.OPTION(() => this.CONSUME(T.And));
        operands.push(this.SUBRULE2(this.searchOperand));
      });
      return this.ACTION(() => this.chain("and", start, operands));
    });

    chain(operator: "and" | "or", start: number, operands: readonly SearchNode[]): SearchNode {
      const [only] = operands;
      if (only !== undefined && operands.length === 1) return only;
      return this.counted({ kind: "SearchLogical", start, end: this.done(), operator, operands });
    }

    counted(node: SearchNode): SearchNode {
      this.nodes += 1;
      if (this.nodes > this.limits.nodes) throw tooComplex(this.limits, "nodes", node);
      return node;
    }

    readonly searchOperand = this.RULE(
      "searchOperand",
      (): SearchNode =>
        this.OR<SearchNode>([
          {
            ALT: () => {
              const token = this.CONSUME(T.Not);
              this.ACTION(() => this.enter());
              const operand = this.SUBRULE(this.searchOperand);
              return this.ACTION(() => {
                this.leave();
                return this.counted({
                  kind: "SearchNot",
                  start: token.startOffset,
                  end: this.done(),
                  operand,
                });
              });
            },
          },
          {
            ALT: () => {
              this.CONSUME(T.OpenParen);
              this.ACTION(() => this.enter());
              const inner = this.SUBRULE(this.search);
              this.CONSUME(T.CloseParen);
              this.ACTION(() => this.leave());
              return inner;
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.Phrase);
              return this.ACTION(() =>
                this.counted({
                  kind: "Term",
                  ...spanOf(token),
                  value: jsonString(token.image),
                  phrase: true,
                }),
              );
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.Word);
              return this.ACTION(() =>
                this.counted({ kind: "Term", ...spanOf(token), value: token.image, phrase: false }),
              );
            },
          },
        ]),
    );
  };
}

function build() {
  const chevrotain = loadChevrotain();
  const types = createSearchTokens(chevrotain);
  const vocabulary = Object.values(types);
  const Grammar = createSearchGrammar(chevrotain, types, vocabulary);
  return {
    types,
    lexer: new chevrotain.Lexer(vocabulary, { positionTracking: "onlyOffset", skipValidations: true }),
    parser: new Grammar(),
  };
}

let built: ReturnType<typeof build> | undefined;

/**
 * Refuses adjacent tokens: words, phrases and parentheses must be separated by white space.
 *
 * @throws {QueryError} `syntax_error`
 */
function checkGaps(tokens: readonly IToken[], types: SearchTokens, text: string): void {
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    refuseUnclosed(token, text);
    if (token.tokenType === types.Junk) throw syntaxError(text, spanOf(token), "a word");
    const glued = previous !== undefined && endOf(previous) === token.startOffset;
    if (glued && previous.tokenType !== types.OpenParen && token.tokenType !== types.CloseParen) {
      throw syntaxError(text, spanOf(token), "white space");
    }
  }
}

/**
 * Parses the search between the offsets of `span` in `text`. Text in single quotes is a single term, whatever it
 * contains: clients send search-as-you-type input in this form.
 */
export function parseSearchWithin(text: string, span: Span, limits: Limits): SearchNode {
  const part = text.slice(0, span.end);
  built ??= build();
  const { types, lexer, parser } = built;
  const tokens = tokensFrom(lexer, part, span.start);
  const [first] = tokens;
  if (first !== undefined && tokens.length === 1 && first.tokenType === types.Quoted) {
    const value = first.image.slice(1, -1).replaceAll("''", "'");
    return { kind: "Term", ...spanOf(first), value, phrase: false };
  }
  checkGaps(tokens, types, part);
  return parser.run(parser.search, classify(tokens, types), part, limits);
}
