import type { IRecognitionException, IToken, TokenType } from "chevrotain";
import type { QueryError } from "../../errors.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import type { Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { expectedInput, type Failure, operatorBefore, syntaxError } from "./fault.ts";
import { operatorSlip, valueSlip } from "./mistakes.ts";
import { parserClass } from "./parser-methods.ts";
import { endOf, spanOf } from "./token-stream.ts";

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

    constructor(vocabulary: TokenType[]) {
      super(vocabulary, {
        recoveryEnabled: false,
        maxLookahead: 1,
        skipValidations: true,
        errorMessageProvider: wording,
      });
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
    fault(failure: IRecognitionException): QueryError {
      const span = this.spanAt(failure.token);
      const { start } = span;
      const named = this.bareTypes.values().next().value;
      if (named !== undefined && named.end < start) return this.after(named, "`(` or `/`");
      const rule = failure.context.ruleStack.at(-1) ?? "";
      const known: Failure = { name: failure.name, message: failure.message, start, rule, whole: this.whole };
      const expected = expectedInput(known, this.text);
      if (expected === "a value") {
        const slip = valueSlip(this.text, start);
        if (slip !== undefined) return syntaxError(this.text, slip, slip.expected);
      } else if (this.afterExpression(known)) {
        const operator = operatorBefore(this.text, start);
        if (operator !== undefined) return syntaxError(this.text, operator, "a value");
        const slip = operatorSlip(this.text, start);
        if (slip !== undefined) return syntaxError(this.text, slip, slip.expected);
      }
      return syntaxError(this.text, span, expected);
    }

    /** True if the failure is at the end of an expression, where an operator may have been intended. */
    afterExpression({ name, message }: Failure): boolean {
      const ended =
        name === "NotAllInputParsedException" ||
        (name.startsWith("Mismatched") && /^`(?:\)|as)`$/.test(message));
      return ended && (this.depth > 0 || ["expression", "orderBy", "compute"].includes(this.whole));
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

/** Error messages of the library. They contain only the label of the expected token, or a description of it. */
const wording = {
  buildMismatchTokenMessage: ({ expected }: { expected: TokenType }): string =>
    expected.LABEL ?? expected.name,
  buildNotAllInputParsedMessage: (): string => "the end of the text",
  buildNoViableAltMessage: (): string => "a value",
  buildEarlyExitMessage: (): string => "a value",
};
