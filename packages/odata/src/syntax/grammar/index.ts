import type { IToken, Lexer } from "chevrotain";
import type { ComputeItem, ExpandItem, OrderByItem, SelectItem, Transformation } from "../items.ts";
import { checkTextLength, type Limits } from "../limits.ts";
import type { SearchNode, Span, SyntaxNode } from "../tree.ts";
import { createApplyGrammar } from "./apply.ts";
import { loadChevrotain } from "./chevrotain.ts";
import { createExpandGrammar } from "./expand.ts";
import { createItemsGrammar } from "./items.ts";
import { parseSearchWithin } from "./search.ts";
import { tokenize } from "./token-stream.ts";
import { createTokens } from "./tokens.ts";

/** Memoizes `make`, which runs on the first call. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const tokenTypes = lazy(() => createTokens(loadChevrotain()));

const lexerOf = (vocabulary: "expressionTokens" | "applyTokens"): (() => Lexer) =>
  lazy(() => {
    const { Lexer: LexerClass } = loadChevrotain();
    return new LexerClass(tokenTypes()[vocabulary], {
      positionTracking: "onlyOffset",
      skipValidations: true,
    });
  });

const expressionLexer = lexerOf("expressionTokens");
const applyLexer = lexerOf("applyTokens");

const items = lazy(() => {
  const Grammar = createItemsGrammar(loadChevrotain(), tokenTypes());
  return new (class extends Grammar {
    constructor() {
      super(tokenTypes().applyTokens);
      this.performSelfAnalysis();
    }
  })();
});

const apply = lazy(() => new (createApplyGrammar(loadChevrotain(), tokenTypes()))());

let expandLimits: Limits;
const expand = lazy(
  () =>
    new (createExpandGrammar(loadChevrotain(), tokenTypes(), (text, span) =>
      applyWithin(text, span, expandLimits),
    ))(),
);

function expressionStream(text: string, limits: Limits): IToken[] {
  checkTextLength(text, limits);
  return tokenize(expressionLexer(), text, 0);
}

function applyWithin(text: string, span: Span, limits: Limits): readonly Transformation[] {
  const part = text.slice(0, span.end);
  return apply().run(apply().sequence, tokenize(applyLexer(), part, span.start), part, limits);
}

/*
 * The authoritative grammar, with one function for each option. Each parser is built when it is first needed.
 */

export function expressionByGrammar(text: string, limits: Limits): SyntaxNode {
  const stream = expressionStream(text, limits);
  return items().run(items().expression, stream, text, limits);
}

export function orderByByGrammar(text: string, limits: Limits): readonly OrderByItem[] {
  const stream = expressionStream(text, limits);
  return items().run(items().orderBy, stream, text, limits);
}

export function computeByGrammar(text: string, limits: Limits): readonly ComputeItem[] {
  const stream = expressionStream(text, limits);
  return items().run(items().compute, stream, text, limits);
}

export function selectByGrammar(text: string, limits: Limits): readonly SelectItem[] {
  expandLimits = limits;
  const stream = expressionStream(text, limits);
  return expand().run(expand().select, stream, text, limits);
}

export function expandByGrammar(text: string, limits: Limits): readonly ExpandItem[] {
  expandLimits = limits;
  const stream = expressionStream(text, limits);
  return expand().run(expand().expand, stream, text, limits);
}

export function applyByGrammar(text: string, limits: Limits): readonly Transformation[] {
  checkTextLength(text, limits);
  return applyWithin(text, { start: 0, end: text.length }, limits);
}

export function searchByGrammar(text: string, limits: Limits): SearchNode {
  checkTextLength(text, limits);
  return parseSearchWithin(text, { start: 0, end: text.length }, limits);
}
