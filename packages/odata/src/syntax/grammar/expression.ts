import type { IToken } from "chevrotain";
import { fold, type Operand } from "../fold.ts";
import { tooComplex } from "../limits.ts";
import { jsonString } from "../literal.ts";
import { type Operator, operatorAt } from "../operators.ts";
import type { AggregateFrom, AggregateItem, SearchNode, Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { literalOf } from "./literal-token.ts";
import { createBase } from "./parser.ts";
import { type Argument, type Arguments, applyArguments, isFault, typeNames } from "./path.ts";
import { parseSearchWithin } from "./search.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

const listItems: ReadonlySet<SyntaxNode["kind"]> = new Set(["Literal", "Enum", "Geo"]);
/** Nodes that no segment can follow. */
const closed: ReadonlySet<SyntaxNode["kind"]> = new Set(["Count", "Lambda", "Aggregation", "Case"]);

const isCalled = (token: IToken, next: IToken): boolean =>
  next.image === "(" && next.startOffset === endOf(token);

/**
 * The common expressions.
 *
 * `not` and unary minus bind tighter than every operator but `has` and `in`, as the standard's table of
 * precedence says: `not a eq 1` is `(not a) eq 1`. White space is needed around a word that is an operator,
 * except beside a parenthesis; it is not allowed between a function's name and its parenthesis.
 *
 * Source: OData 4.01 ABNF, `commonExpr`; URL Conventions 5.1.1.16 (precedence); Data Aggregation 4.0, 3.2.3.
 */
export function createExpressionGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class ExpressionGrammar extends createBase(chevrotain) {
    readonly expression = this.RULE("expression", (): SyntaxNode => {
      const operands: Operand[] = [];
      const operators: Operator[] = [];
      operands.push(this.SUBRULE(this.operand));
      this.MANY(() => {
        const token = this.CONSUME(T.Operator);
        this.ACTION(() => operators.push(this.spaced(token)));
        operands.push(this.SUBRULE2(this.operand));
      });
      return this.ACTION(() => {
        this.nodes += operators.length;
        const node = fold(operands, operators);
        if (this.nodes > this.limits.nodes) throw tooComplex(this.limits, "nodes", node);
        return node;
      });
    });

    /** The operator of a token that has white space or a parenthesis on each side. */
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

    readonly operand = this.RULE("operand", (): Operand => {
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

    /** What follows `in`: a list of literals, or a collection. */
    readonly members = this.RULE(
      "members",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const open = this.CONSUME(T.OpenParen);
              const items: Operand[] = [];
              const commas: IToken[] = [];
              this.ACTION(() => this.enter());
              this.OPTION(() => {
                items.push(this.SUBRULE(this.spanned));
                this.MANY(() => {
                  const comma = this.CONSUME(T.Comma);
                  this.ACTION(() => {
                    commas.push(comma);
                    this.checkMember(items.at(-1) as Operand, comma);
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

    /** Refuse `member` before `comma` where it is no literal, or is one too many. */
    checkMember({ node, start }: Operand, comma: IToken): void {
      if (!listItems.has(node.kind) || node.start !== start) this.refuse(comma, "`)`");
    }

    listOf(open: IToken, items: readonly Operand[], commas: readonly IToken[]): SyntaxNode {
      this.leave();
      const last = items.at(-1);
      const plain = last === undefined || (listItems.has(last.node.kind) && last.node.start === last.start);
      if (commas.length === 0 && !plain) return (last as Operand).node;
      if (!plain) this.refuse(last as Operand, "a literal");
      const nodes = items.map(({ node }) => node);
      const extra = nodes[this.limits.listItems];
      if (extra !== undefined) throw tooComplex(this.limits, "listItems", extra);
      return this.made({ kind: "List", start: open.startOffset, end: this.done(), items: nodes });
    }

    readonly spanned = this.RULE("spanned", (): Operand => {
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

    /** Whether the next token, though it may be a literal's word, begins a path. */
    isName(): boolean {
      const next = this.LA(2);
      const word = /^(?:null|true|false|INF|NaN)$/i.test(this.LA(1).image);
      return word && (next.image === "/" || next.image === "(") && next.startOffset === endOf(this.LA(1));
    }

    readonly parenthesised = this.RULE("parenthesised", (): SyntaxNode => {
      this.CONSUME(T.OpenParen);
      this.ACTION(() => this.enter());
      const node = this.SUBRULE(this.expression);
      this.CONSUME(T.CloseParen);
      this.ACTION(() => this.leave());
      return node;
    });

    readonly array = this.RULE("array", (): SyntaxNode => {
      const open = this.CONSUME(T.OpenBracket);
      const items: SyntaxNode[] = [];
      this.ACTION(() => this.enter());
      this.MANY_SEP({
        SEP: T.Comma,
        DEF: () => {
          const item = this.SUBRULE(this.item);
          this.ACTION(() => {
            items.push(item);
            if (items.length > this.limits.listItems) throw tooComplex(this.limits, "listItems", item);
          });
        },
      });
      this.CONSUME(T.CloseBracket);
      return this.ACTION(() => {
        this.leave();
        return this.made({ kind: "Array", start: open.startOffset, end: this.done(), items });
      });
    });

    readonly object = this.RULE("object", (): SyntaxNode => {
      const open = this.CONSUME(T.OpenBrace);
      const members: { name: string; value: SyntaxNode }[] = [];
      this.ACTION(() => this.enter());
      this.MANY_SEP({
        SEP: T.Comma,
        DEF: () => {
          const name = this.CONSUME(T.JsonText);
          this.CONSUME(T.Colon);
          const value = this.SUBRULE(this.item);
          this.ACTION(() => members.push({ name: jsonString(name.image), value }));
        },
      });
      this.CONSUME(T.CloseBrace);
      return this.ACTION(() => {
        this.leave();
        return this.made({ kind: "Object", start: open.startOffset, end: this.done(), members });
      });
    });

    /** A value inside JSON, where strings may have double quotes. */
    readonly item = this.RULE(
      "item",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const token = this.CONSUME(T.JsonText);
              return this.ACTION(() =>
                this.made({
                  kind: "Literal",
                  ...spanOf(token),
                  type: "String",
                  value: jsonString(token.image),
                }),
              );
            },
          },
          { ALT: () => this.SUBRULE(this.expression) },
        ]),
    );

    readonly path = this.RULE("path", (): SyntaxNode => {
      let node = this.SUBRULE(this.firstSegment);
      this.MANY({
        GATE: () => this.glued() && !closed.has(node.kind) && !this.isOperation(node),
        DEF: () => {
          const base = node;
          node = this.OR<SyntaxNode>([
            { ALT: () => this.SUBRULE(this.segment, { ARGS: [base] }) },
            { ALT: () => this.SUBRULE(this.called, { ARGS: [base] }) },
          ]);
        },
      });
      return this.ACTION(() => {
        if (node.kind === "Root") throw this.after(node, "`/`");
        if (node.kind === "Name" && node.name.includes(".")) this.bareTypes.add(node);
        return node;
      });
    });

    /** Whether `node` is `any`, `all` or `aggregate` without the collection that it needs before it. */
    isOperation(node: SyntaxNode): boolean {
      return node.kind === "Name" && /^(?:any|all|aggregate)$/i.test(node.name) && this.LA(1).image === "(";
    }

    readonly firstSegment = this.RULE(
      "firstSegment",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const token = this.CONSUME(T.Name);
              return this.ACTION(() => this.made({ kind: "Name", ...spanOf(token), name: token.image }));
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.At);
              return this.ACTION(() => this.made(this.atSign(token)));
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.Root);
              return this.ACTION(() => this.made({ kind: "Root", ...spanOf(token) }));
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.Current);
              return this.ACTION(() => this.made({ kind: "Name", ...spanOf(token), name: token.image }));
            },
          },
        ]),
    );

    /** `@p` is an alias; with a dot or a qualifier it is an annotation. */
    atSign(token: IToken): SyntaxNode {
      if (!/[.#]/.test(token.image)) return { kind: "Alias", ...spanOf(token), name: token.image };
      return this.annotation(null, token);
    }

    annotation(base: SyntaxNode | null, token: IToken): SyntaxNode {
      const [term = "", qualifier = null] = token.image.slice(1).split("#");
      const span = spanOf(token);
      return { kind: "Annotation", start: base?.start ?? span.start, end: span.end, base, term, qualifier };
    }

    /** `/…` after `base`. */
    readonly segment = this.RULE("segment", (base: SyntaxNode): SyntaxNode => {
      const slash = this.CONSUME(T.Slash);
      this.ACTION(() => {
        if (this.here() !== endOf(slash) && this.here() < this.text.length) {
          this.refuse({ start: endOf(slash), end: this.here() }, "a path segment");
        }
      });
      return this.OR<SyntaxNode>([
        {
          GATE: () => isCalled(this.LA(1), this.LA(2)),
          ALT: () => {
            this.CONSUME(T.Aggregate);
            this.CONSUME(T.OpenParen);
            this.ACTION(() => this.enter());
            const item = this.SUBRULE(this.aggregateItem);
            this.CONSUME(T.CloseParen);
            return this.ACTION((): SyntaxNode => {
              this.leave();
              return this.made({ kind: "Aggregation", start: base.start, end: this.done(), base, item });
            });
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(T.Name);
            return this.ACTION(
              (): SyntaxNode =>
                this.made({ kind: "Member", start: base.start, end: endOf(token), base, name: token.image }),
            );
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(T.At);
            return this.ACTION(() => this.made(this.annotation(base, token)));
          },
        },
        {
          ALT: () => {
            this.CONSUME(T.Count);
            const options = this.OPTION({
              GATE: () => this.glued(),
              DEF: () => this.SUBRULE(this.countOptions),
            });
            return this.ACTION(
              (): SyntaxNode =>
                this.made({
                  kind: "Count",
                  start: base.start,
                  end: this.done(),
                  base,
                  filter: options?.filter ?? null,
                  search: options?.search ?? null,
                }),
            );
          },
        },
        {
          ALT: () => {
            this.CONSUME(T.Filter);
            const predicate = this.SUBRULE(this.parenthesised);
            return this.ACTION(
              (): SyntaxNode =>
                this.made({ kind: "Filter", start: base.start, end: this.done(), base, predicate }),
            );
          },
        },
      ]);
    });

    /** `($filter=…;$search=…)` after `$count`. */
    readonly countOptions = this.RULE("countOptions", () => {
      let filter: SyntaxNode | null = null;
      let search: SearchNode | null = null;
      this.CONSUME(T.OpenParen);
      this.ACTION(() => this.enter());
      this.AT_LEAST_ONE_SEP({
        SEP: T.Semicolon,
        DEF: () =>
          this.OR([
            {
              ALT: () => {
                const token = this.CONSUME(T.SearchOption);
                this.ACTION(() => {
                  if (search !== null) this.refuse(token, "an option that is not given yet");
                  search = this.searchOf(token);
                });
              },
            },
            {
              ALT: () => {
                const token = this.OR2([
                  { ALT: () => this.CONSUME(T.Filter) },
                  { GATE: () => /^filter$/i.test(this.LA(1).image), ALT: () => this.CONSUME(T.Name) },
                ]);
                this.CONSUME(T.Equals);
                const predicate = this.SUBRULE(this.expression);
                this.ACTION(() => {
                  if (filter !== null) this.refuse(token, "an option that is not given yet");
                  filter = predicate;
                });
              },
            },
          ]),
      });
      this.CONSUME(T.CloseParen);
      return this.ACTION(() => {
        this.leave();
        return { filter: filter as SyntaxNode | null, search: search as SearchNode | null };
      });
    });

    /** The search of a token that holds `$search=` and its text. */
    searchOf(token: IToken): SearchNode {
      const from = token.startOffset + token.image.indexOf("=") + 1;
      return parseSearchWithin(this.text, { start: from, end: endOf(token) }, this.limits);
    }

    /** `(…)` after `base`. */
    readonly called = this.RULE("called", (base: SyntaxNode): SyntaxNode => {
      const args = this.SUBRULE(this.arguments, { ARGS: [base] });
      return this.ACTION(() => {
        for (const type of typeNames(base, args)) this.bareTypes.delete(type);
        const reading = applyArguments(base, args);
        if (isFault(reading)) this.refuse(reading.at, reading.expected);
        return reading;
      });
    });

    readonly arguments = this.RULE("arguments", (base: SyntaxNode): Arguments => {
      const items: Argument[] = [];
      const open = this.CONSUME(T.OpenParen);
      const lambda = this.ACTION(() => this.isLambda(base));
      this.ACTION(() => {
        this.enter();
        if (lambda) this.lambdas += 1;
        if (this.lambdas > this.limits.lambdaDepth) throw tooComplex(this.limits, "lambdaDepth", base);
      });
      this.MANY_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.argument)) });
      this.CONSUME(T.CloseParen);
      return this.ACTION(() => {
        this.leave();
        if (lambda) this.lambdas -= 1;
        return { open, items, start: open.startOffset, end: this.done() };
      });
    });

    isLambda(base: SyntaxNode): boolean {
      return base.kind === "Member" && /^(?:any|all)$/i.test(base.name);
    }

    readonly argument = this.RULE("argument", (): Argument => {
      let name: IToken | null = null;
      let colon: IToken | null = null;
      let result: SyntaxNode | null = null;
      this.OPTION({
        GATE: () => this.LA(2).image === "=",
        DEF: () => {
          const token = this.CONSUME(T.Name);
          this.CONSUME(T.Equals);
          this.ACTION(() => {
            name = token;
          });
        },
      });
      const start = this.ACTION(() => this.here());
      const value = this.SUBRULE(this.expression);
      const end = this.ACTION(() => this.done());
      this.OPTION2(() => {
        const token = this.CONSUME(T.Colon);
        const after = this.SUBRULE2(this.expression);
        this.ACTION(() => {
          colon = token;
          result = after;
        });
      });
      return this.ACTION(() => ({ name, value, result, colon, span: { start, end }, end: this.done() }));
    });

    /** `expression with method from … as alias` */
    readonly aggregateItem = this.RULE("aggregateItem", (): AggregateItem => {
      const start = this.ACTION(() => this.here());
      const expression = this.SUBRULE(this.aggregated);
      let method: string | null = null;
      const from: AggregateFrom[] = [];
      let alias: string | null = null;
      this.OPTION(() => {
        const name = this.SUBRULE(this.aggregationMethod);
        method = name;
      });
      this.MANY(() => from.push(this.SUBRULE(this.aggregateFrom)));
      this.OPTION2(() => {
        const name = this.SUBRULE(this.alias);
        alias = name;
      });
      return this.ACTION(() => ({
        kind: "Aggregate",
        start,
        end: this.done(),
        expression,
        method,
        from,
        alias,
      }));
    });

    /** What is aggregated: an expression, the items themselves (`$count`), or instances of a type. */
    readonly aggregated = this.RULE(
      "aggregated",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            ALT: () => {
              const token = this.CONSUME(T.Count);
              return this.ACTION(() => this.made({ kind: "Name", ...spanOf(token), name: "$count" }));
            },
          },
          {
            ALT: () => {
              const node = this.SUBRULE(this.expression);
              return this.ACTION(() => {
                this.bareTypes.delete(node);
                return node;
              });
            },
          },
        ]),
    );

    readonly aggregationMethod = this.RULE("aggregationMethod", (): string => {
      this.CONSUME(T.With);
      return this.CONSUME(T.Name).image;
    });

    readonly aggregateFrom = this.RULE("aggregateFrom", (): AggregateFrom => {
      const groupings: SyntaxNode[] = [];
      let method: string | null = null;
      this.CONSUME(T.From);
      this.AT_LEAST_ONE_SEP({
        SEP: T.Comma,
        DEF: () => groupings.push(this.SUBRULE(this.path)),
      });
      this.OPTION(() => {
        const name = this.SUBRULE(this.aggregationMethod);
        method = name;
      });
      return { groupings, method };
    });

    readonly alias = this.RULE("alias", (): string => {
      this.CONSUME(T.As);
      const token = this.CONSUME(T.Name);
      return this.ACTION(() => {
        if (token.image.includes(".")) this.refuse(spanOf(token) as Span, "a name without a dot");
        return token.image;
      });
    });
  };
}
