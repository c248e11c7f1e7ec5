import type { IToken } from "chevrotain";
import { tooComplex } from "../limits.ts";
import type { SearchNode, SyntaxNode } from "../tree.ts";
import { createAggregateGrammar } from "./aggregate.ts";
import { type Argument, type Arguments, applyArguments, isFault, typeArgument } from "./call.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { parseSearchWithin } from "./search.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/** Kinds of nodes that no segment can follow. */
const closed: ReadonlySet<SyntaxNode["kind"]> = new Set(["Count", "Lambda", "Aggregation", "Case"]);

const isCalled = (token: IToken, next: IToken): boolean =>
  next.image === "(" && next.startOffset === endOf(token);

/**
 * Creates the grammar of paths, and of everything with the same form: calls, keys and lambda operators. White space
 * is not allowed around a slash, nor between a name and its parenthesis.
 *
 * Source: OData 4.01 ABNF, `firstMemberExpr`, `methodCallExpr` and `functionExpr`.
 */
export function createPathGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class PathGrammar extends createAggregateGrammar(chevrotain, tokens) {
    declare readonly parenthesised: () => SyntaxNode;

    override readonly path = this.RULE("path", (): SyntaxNode => {
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

    /** True if `node` is `any`, `all` or `aggregate` without a collection before it. */
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

    /** A segment `/…` after `base`. */
    readonly segment = this.RULE("segment", (base: SyntaxNode): SyntaxNode => {
      const slash = this.CONSUME(T.Slash);
      this.ACTION(() => this.tight(slash));
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

    /** The options `($filter=…;$search=…)` after `$count`. */
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

    /** Parses the search in a token that holds `$search=` and its text. */
    searchOf(token: IToken): SearchNode {
      const from = token.startOffset + token.image.indexOf("=") + 1;
      return parseSearchWithin(this.text, { start: from, end: endOf(token) }, this.limits);
    }

    /** Arguments `(…)` after `base`. */
    readonly called = this.RULE("called", (base: SyntaxNode): SyntaxNode => {
      const args = this.SUBRULE(this.arguments, { ARGS: [base] });
      return this.ACTION(() => {
        const type = typeArgument(base, args);
        if (type !== undefined) this.bareTypes.delete(type);
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
  };
}
