import type { IToken } from "chevrotain";
import { tooComplex } from "../limits.ts";
import { buildOperatorTree, type OperandSpan } from "../operator-tree.ts";
import { type Operator, operatorAt } from "../operators.ts";
import type { SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { literalOf } from "./literal-token.ts";
import { expectedBeforeComma, expectedItem } from "./mistakes.ts";
import { createPathGrammar } from "./path.ts";
import { endOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/** Kinds of nodes allowed in a list after `in`. */
const listItems: ReadonlySet<SyntaxNode["kind"]> = new Set(["Literal", "Enum", "Geo"]);

/**
 * Creates the grammar of common expressions: operators, lists and operands.
 *
 * `not` and unary minus bind tighter than every operator except `has` and `in`, according to the standard's table
 * of precedence: `not a eq 1` is `(not a) eq 1`. White space is required around an operator, except next to a
 * parenthesis.
 *
 * Source: OData 4.01 ABNF, `commonExpr`; URL Conventions 5.1.1.17 (precedence).
 */
export function createExpressionGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class ExpressionGrammar extends createPathGrammar(chevrotain, tokens) {
    override readonly expression = this.RULE("expression", (): SyntaxNode => {
      const operands: OperandSpan[] = [];
      const operators: Operator[] = [];
      operands.push(this.SUBRULE(this.operand));
      this.MANY(() => {
        const token = this.CONSUME(T.Operator);
        this.ACTION(() => operators.push(this.spaced(token)));
        operands.push(this.SUBRULE2(this.operand));
      });
      return this.ACTION(() => {
        this.nodes += operators.length;
        const node = buildOperatorTree(operands, operators);
        if (this.nodes > this.limits.nodes) throw tooComplex(this.limits, "nodes", node);
        return node;
      });
    });

    /**
     * Returns the operator of a token, which must have white space or a parenthesis on each side.
     *
     * @throws {QueryError} `syntax_error`
     */
    spaced(token: IToken): Operator {
      const start = token.startOffset;
      if (
        !/[ \t)]/.test(this.text.charAt(start - 1)) ||
        !/^(?:[ \t(]|$)/.test(this.text.charAt(endOf(token)))
      ) {
        this.refuse(token, "white space around the operator");
      }
      return operatorAt(token.image, 0, token.image.length) as Operator;
    }

    readonly operand = this.RULE("operand", (): OperandSpan => {
      const start = this.ACTION(() => this.here());
      const node = this.SUBRULE(this.unary);
      return this.ACTION(() => ({ node, start, end: this.done() }));
    });

    readonly unary = this.RULE(
      "unary",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            GATE: () => /^[ \t(]/.test(this.text.charAt(endOf(this.LA(1)))),
            ALT: () => {
              const token = this.CONSUME(T.Not);
              return this.SUBRULE(this.prefixed, { ARGS: [token, "Not"] });
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.Minus);
              return this.SUBRULE2(this.prefixed, { ARGS: [token, "Negate"] });
            },
          },
          { ALT: () => this.SUBRULE(this.membership) },
        ]),
    );

    readonly prefixed = this.RULE("prefixed", (token: IToken, kind: "Not" | "Negate"): SyntaxNode => {
      this.ACTION(() => this.enter());
      const operand = this.SUBRULE(this.unary);
      return this.ACTION(() => {
        this.leave();
        return this.made({ kind, start: token.startOffset, end: this.done(), operand });
      });
    });

    readonly membership = this.RULE("membership", (): SyntaxNode => {
      const start = this.ACTION(() => this.here());
      let node = this.SUBRULE(this.primary);
      this.MANY(() =>
        this.OR([
          {
            ALT: () => {
              const token = this.CONSUME(T.Has);
              const operand = node;
              const right = this.SUBRULE2(this.primary);
              this.ACTION(() => {
                this.spaced(token);
                node = this.made({ kind: "Has", start, end: this.done(), operand, right });
              });
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.In);
              const operand = node;
              const right = this.SUBRULE(this.members);
              this.ACTION(() => {
                this.spaced(token);
                node = this.made({ kind: "In", start, end: this.done(), operand, right });
              });
            },
          },
        ]),
      );
      return node;
    });

    /** The right operand of `in`: a list of literals, or a collection. */
    readonly members = this.RULE(
      "members",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const open = this.CONSUME(T.OpenParen);
              const items: OperandSpan[] = [];
              const commas: IToken[] = [];
              this.ACTION(() => this.enter());
              this.OPTION(() => {
                items.push(this.SUBRULE(this.spanned));
                this.MANY(() => {
                  const comma = this.CONSUME(T.Comma);
                  this.ACTION(() => {
                    commas.push(comma);
                    this.checkMember(items.at(-1) as OperandSpan, comma);
                  });
                  items.push(this.SUBRULE2(this.spanned));
                });
              });
              this.CONSUME(T.CloseParen);
              return this.ACTION(() => this.listOf(open, items, commas));
            },
          },
          { ALT: () => this.SUBRULE(this.primary) },
        ]),
    );

    /**
     * Refuses `member`, which precedes `comma`, if it is not a literal or is parenthesised.
     *
     * @throws {QueryError} `syntax_error`
     */
    checkMember({ node, start }: OperandSpan, comma: IToken): void {
      if (node.start !== start) this.refuse(comma, "`)`");
      if (!listItems.has(node.kind)) this.refuse(comma, expectedBeforeComma(node));
    }

    listOf(open: IToken, items: readonly OperandSpan[], commas: readonly IToken[]): SyntaxNode {
      this.leave();
      const last = items.at(-1);
      const plain = last === undefined || (listItems.has(last.node.kind) && last.node.start === last.start);
      if (commas.length === 0 && !plain) return (last as OperandSpan).node;
      if (!plain) {
        const item = last as OperandSpan;
        this.refuse(item, item.node.start === item.start ? expectedItem(item.node) : "a literal");
      }
      const nodes = items.map(({ node }) => node);
      const extra = nodes[this.limits.listItems];
      if (extra !== undefined) throw tooComplex(this.limits, "listItems", extra);
      return this.made({ kind: "List", start: open.startOffset, end: this.done(), items: nodes });
    }

    readonly spanned = this.RULE("spanned", (): OperandSpan => {
      const start = this.ACTION(() => this.here());
      const node = this.SUBRULE(this.expression);
      return this.ACTION(() => ({ node, start, end: this.done() }));
    });

    readonly primary = this.RULE(
      "primary",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            GATE: () => !this.isName(),
            ALT: () => {
              const token = this.CONSUME(T.Literal);
              return this.ACTION(() => this.made(literalOf(token, this.text)));
            },
          },
          { ALT: () => this.SUBRULE(this.parenthesised) },
          { ALT: () => this.SUBRULE(this.array) },
          { ALT: () => this.SUBRULE(this.object) },
          { ALT: () => this.SUBRULE(this.path) },
        ]),
    );

    /** True if the next token begins a path, although it may also be a literal word such as `null`. */
    isName(): boolean {
      const next = this.LA(2);
      const word = /^(?:null|true|false|INF|NaN)$/i.test(this.LA(1).image);
      return word && (next.image === "/" || next.image === "(") && next.startOffset === endOf(this.LA(1));
    }

    override readonly parenthesised = this.RULE("parenthesised", (): SyntaxNode => {
      this.CONSUME(T.OpenParen);
      this.ACTION(() => this.enter());
      const node = this.SUBRULE(this.expression);
      this.CONSUME(T.CloseParen);
      this.ACTION(() => this.leave());
      return node;
    });
  };
}
