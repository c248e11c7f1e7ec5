import type { IRecognitionException, IToken, TokenType } from "chevrotain";
import type { QueryError } from "../../errors.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import type { Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { type Failure, operatorBefore, syntaxError, wantedBy } from "./fault.ts";
import { parserClass } from "./parser-methods.ts";
import { operatorSlip, valueSlip } from "./slips.ts";
import { endOf, spanOf } from "./token-stream.ts";

/** The part that all grammars share: limits, spans, and the wording of faults. */
export function createBase(chevrotain: Chevrotain) {
  return class Base extends parserClass(chevrotain) {
    /** The text that is parsed, and how large it may be. */
    text = "";
    limits!: Limits;
    nodes = 0;
    depth = 0;
    lambdas = 0;
    /** Name of the rule that is run. */
    whole = "";
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

    /** The exception of the library in our words. */
    fault(failure: IRecognitionException): QueryError {
      const span = this.spanAt(failure.token);
      const { start } = span;
      const named = this.bareTypes.values().next().value;
      if (named !== undefined && named.end < start) return this.after(named, "`(` or `/`");
      const rule = failure.context.ruleStack.at(-1) ?? "";
      const known: Failure = { name: failure.name, message: failure.message, start, rule, whole: this.whole };
      const expected = wantedBy(known, this.text);
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

    /** Whether what failed is the end of an expression, where an operator may have been meant. */
    afterExpression({ name, message }: Failure): boolean {
      const ended =
        name === "NotAllInputParsedException" ||
        (name.startsWith("Mismatched") && /^`(?:\)|as)`$/.test(message));
      return ended && (this.depth > 0 || ["expression", "orderBy", "compute"].includes(this.whole));
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

    /** Refuse white space after `slash`. */
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
