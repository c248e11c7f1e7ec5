import type { IToken, TokenType } from "chevrotain";
import type { QueryError } from "../../errors.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import type { Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { syntaxError } from "./fault.ts";
import { parserClass } from "./parser-methods.ts";
import { endOf, spanOf } from "./token-stream.ts";

/** What stands where no alternative of a rule fits, by the rule's name. */
const expectedIn: Readonly<Record<string, string>> = {
  segment: "a path segment",
  countOptions: "`$filter` or `$search`",
  selectItem: "an item of `$select`",
  expandItem: "an item of `$expand`",
  select: "an item of `$select`",
  expand: "an item of `$expand`",
  options: "a query option",
  itemOption: "a query option",
  namedOption: "a value of the option",
  transformation: "an argument",
  grouped: "a path or `rollup`",
  grouping: "a path or `rollup`",
  searchOperand: "a word",
};

/** The part that all grammars share: limits, spans, and the wording of faults. */
export function createBase(chevrotain: Chevrotain) {
  return class Base extends parserClass(chevrotain) {
    /** The text that is parsed, and how large it may be. */
    text = "";
    limits!: Limits;
    nodes = 0;
    depth = 0;
    lambdas = 0;
    /** Qualified names that stand alone: types as arguments of `cast` and `isof`, else a fault. */
    readonly bareTypes = new Set<SyntaxNode>();

    constructor(vocabulary: TokenType[]) {
      super(vocabulary, {
        recoveryEnabled: false,
        maxLookahead: 1,
        skipValidations: true,
        errorMessageProvider: wording,
      });
    }

    /** Run `rule` over all of `tokens`. */
    run<T>(rule: () => T, tokens: IToken[], text: string, limits: Limits): T {
      this.input = tokens;
      this.text = text;
      this.limits = limits;
      this.nodes = 0;
      this.depth = 0;
      this.lambdas = 0;
      this.bareTypes.clear();
      const tree = rule.call(this);
      const failure = this.errors[0];
      if (failure !== undefined) throw this.fault(failure);
      if (/[ \t]$/.test(text)) {
        const start = text.trimEnd().length;
        throw syntaxError(text, { start, end: text.length }, "the end of the text");
      }
      for (const type of this.bareTypes) throw this.after(type, "`(` or `/`");
      return tree;
    }

    /** The exception of the library in our words. */
    fault(failure: {
      readonly name: string;
      readonly message: string;
      readonly token: IToken;
      readonly context: { readonly ruleStack: string[] };
    }): QueryError {
      const start = Number.isNaN(failure.token.startOffset) ? this.text.length : failure.token.startOffset;
      const span = start === this.text.length ? { start, end: start } : spanOf(failure.token);
      const named = this.bareTypes.values().next().value;
      if (named !== undefined && named.end < start) return this.after(named, "`(` or `/`");
      switch (failure.name) {
        case "MismatchedTokenException":
          return syntaxError(this.text, span, failure.message);
        case "NotAllInputParsedException":
          return syntaxError(this.text, span, "an operator or the end of the text");
        default:
          return syntaxError(
            this.text,
            span,
            expectedIn[failure.context.ruleStack.at(-1) ?? ""] ?? "a value",
          );
      }
    }

    /** The refusal of what follows `node`. */
    after(node: Span, expected: string): QueryError {
      const end = Math.min(node.end + 1, this.text.length);
      return syntaxError(this.text, { start: node.end, end }, expected);
    }

    /** Refuse `token`. */
    refuse(token: Span | IToken, expected: string): never {
      const span = "tokenType" in token ? this.spanAt(token) : token;
      throw syntaxError(this.text, span, expected);
    }

    spanAt(token: IToken): Span {
      return Number.isNaN(token.startOffset)
        ? { start: this.text.length, end: this.text.length }
        : spanOf(token);
    }

    /** Where the next token starts. */
    here(): number {
      const { startOffset } = this.LA(1);
      return Number.isNaN(startOffset) ? this.text.length : startOffset;
    }

    /** Where the last token ended. */
    done(): number {
      return endOf(this.LA(0));
    }

    /** Whether the next token follows the last with nothing between. */
    glued(): boolean {
      return this.LA(1).startOffset === endOf(this.LA(0));
    }

    /** Count one more node. */
    made<T extends SyntaxNode>(node: T): T {
      this.nodes += 1;
      if (this.nodes > this.limits.nodes) {
        throw tooComplex(this.limits, "nodes", { start: node.start, end: node.end });
      }
      return node;
    }

    /** One level deeper; {@link leave} is the way back. */
    enter(): void {
      this.depth += 1;
      if (this.depth > Math.min(this.limits.nesting, deepestNesting)) {
        throw tooComplex(this.limits, "nesting", { start: this.LA(0).startOffset, end: this.done() });
      }
    }

    leave(): void {
      this.depth -= 1;
    }
  };
}

/** The labels of the expected tokens, as the message of the library's exceptions. */
const wording = {
  buildMismatchTokenMessage: ({ expected }: { expected: TokenType }): string =>
    expected.LABEL ?? expected.name,
  buildNotAllInputParsedMessage: (): string => "the end of the text",
  buildNoViableAltMessage: (): string => "a value",
  buildEarlyExitMessage: (): string => "a value",
};
