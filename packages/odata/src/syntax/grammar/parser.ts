import type { IParserErrorMessageProvider, IRecognitionException, IToken, TokenType } from "chevrotain";
import type { QueryError } from "../../errors.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import type { Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { expectationOf, type Failure } from "./expectation.ts";
import { syntaxError } from "./fault.ts";
import { operatorSlip, valueSlip } from "./mistakes.ts";
import { parserClass } from "./parser-methods.ts";
import { endOf, isOperandNext, operatorBefore, spanOf } from "./token-stream.ts";

/** Token type that was required where the last unexpected token was found. */
type Mismatch = { required: TokenType | null };

/**
 * Records mismatches. The library passes the required token type to its provider of error messages, but the
 * exception does not carry it. The messages are not used.
 */
const recorder = (mismatch: Mismatch): IParserErrorMessageProvider => ({
  buildMismatchTokenMessage({ expected }) {
    mismatch.required = expected;
    return "";
  },
  buildNotAllInputParsedMessage: () => "",
  buildNoViableAltMessage: () => "",
  buildEarlyExitMessage: () => "",
});

/** Creates the base class of all grammars: limits, spans, and error messages. */
export function createBase(chevrotain: Chevrotain) {
  return class Base extends parserClass(chevrotain) {
    /** The text being parsed, and its size limits. */
    text = "";
    limits!: Limits;
    nodes = 0;
    depth = 0;
    lambdas = 0;
    /** Name of the rule that was started. */
    whole = "";
    /** Qualified names that stand alone: types as arguments of `cast` and `isof`, otherwise an error. */
    readonly bareTypes = new Set<SyntaxNode>();
    readonly mismatch: Mismatch;

    constructor(vocabulary: TokenType[]) {
      const mismatch: Mismatch = { required: null };
      super(vocabulary, {
        recoveryEnabled: false,
        maxLookahead: 1,
        skipValidations: true,
        errorMessageProvider: recorder(mismatch),
      });
      this.mismatch = mismatch;
    }

    /** Runs `rule` on all of `tokens`. */
    run<T>(rule: () => T, tokens: IToken[], text: string, limits: Limits): T {
      this.input = tokens;
      this.text = text;
      this.limits = limits;
      this.nodes = 0;
      this.depth = 0;
      this.lambdas = 0;
      this.bareTypes.clear();
      this.whole = (rule as { readonly ruleName?: string }).ruleName ?? "";
      const tree = rule.call(this);
      const failure = this.errors[0];
      if (failure !== undefined) throw this.fault(failure);
      if (/[ \t]/.test(text.charAt(text.length - 1))) {
        const start = text.trimEnd().length;
        throw syntaxError(text, { start, end: text.length }, "the end of the text");
      }
      for (const type of this.bareTypes) throw this.after(type, "`(` or `/`");
      return tree;
    }

    /** Converts an exception of the library to an error with our messages. */
    fault(exception: IRecognitionException): QueryError {
      const span = this.spanAt(exception.token);
      const { start } = span;
      const named = this.bareTypes.values().next().value;
      if (named !== undefined && named.end < start) return this.after(named, "`(` or `/`");
      const failure = this.failureOf(exception);
      const { text, slot } = expectationOf(failure);
      if (slot === "value") {
        const slip = valueSlip(this.text, start, isOperandNext(failure.before));
        if (slip !== undefined) return syntaxError(this.text, slip, slip.expected);
      } else if (slot === "operator") {
        const operator = operatorBefore(failure.before, start);
        if (operator !== undefined) return syntaxError(this.text, operator, "a value");
        const slip = operatorSlip(this.text, start);
        if (slip !== undefined) return syntaxError(this.text, slip, slip.expected);
      }
      return syntaxError(this.text, span, text);
    }

    failureOf(exception: IRecognitionException): Failure {
      const index = this.input.indexOf(exception.token);
      return {
        missing: this.missingIn(exception),
        before: index < 0 ? this.input : this.input.slice(0, index),
        rule: exception.context.ruleStack.at(-1) ?? "",
        whole: this.whole,
        nested: this.depth > 0,
      };
    }

    missingIn(exception: IRecognitionException): Failure["missing"] {
      if (exception instanceof chevrotain.NotAllInputParsedException) return "end";
      const mismatched = exception instanceof chevrotain.MismatchedTokenException;
      return (mismatched ? this.mismatch.required : null) ?? "alternative";
    }

    /** Returns the error for the text after `node`. */
    after(node: Span, expected: string): QueryError {
      const end = Math.min(node.end + 1, this.text.length);
      return syntaxError(this.text, { start: node.end, end }, expected);
    }

    /**
     * Refuses `token`.
     *
     * @throws {QueryError} `syntax_error`
     */
    refuse(token: Span | IToken, expected: string): never {
      const span = "tokenType" in token ? this.spanAt(token) : token;
      throw syntaxError(this.text, span, expected);
    }

    /**
     * Refuses white space after `slash`.
     *
     * @throws {QueryError} `syntax_error`
     */
    tight(slash: IToken): void {
      const start = endOf(slash);
      const end = this.here();
      if (end !== start && end < this.text.length) this.refuse({ start, end }, "a path segment");
    }

    spanAt(token: IToken): Span {
      return Number.isNaN(token.startOffset)
        ? { start: this.text.length, end: this.text.length }
        : spanOf(token);
    }

    /** Offset of the next token. */
    here(): number {
      const { startOffset } = this.LA(1);
      return Number.isNaN(startOffset) ? this.text.length : startOffset;
    }

    /** End of the last token. */
    done(): number {
      return endOf(this.LA(0));
    }

    /** True if the next token follows the last one without white space. */
    glued(): boolean {
      return this.LA(1).startOffset === endOf(this.LA(0));
    }

    /** Counts a node against the limit and returns it. */
    made<T extends SyntaxNode>(node: T): T {
      this.nodes += 1;
      if (this.nodes > this.limits.nodes) {
        throw tooComplex(this.limits, "nodes", { start: node.start, end: node.end });
      }
      return node;
    }

    /** Enters a level of nesting; {@link leave} ends it. */
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
