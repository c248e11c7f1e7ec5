import type { AggregateFrom, AggregateItem, Span, SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createJsonGrammar } from "./json.ts";
import { spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Creates the grammar of aggregate expressions, in the transformation `aggregate` and in the path segment of that
 * name.
 *
 * Source: OData Extension for Data Aggregation 4.0, 3.2.1 and 3.5.
 */
export function createAggregateGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class AggregateGrammar extends createJsonGrammar(chevrotain, tokens) {
    declare readonly path: () => SyntaxNode;

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

    /** The aggregated value: an expression, `$count` for the items themselves, or the name of a type alone for its instances. */
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
