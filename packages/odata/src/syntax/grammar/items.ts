import type { ComputeItem, Direction, OrderByItem } from "../items.ts";
import { tooComplex } from "../limits.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createExpressionGrammar } from "./expression.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Creates the grammar of `$orderby` and `$compute`: lists of expressions.
 *
 * Source: OData 4.01 ABNF, `orderby` and `compute`.
 */
export function createItemsGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class ItemsGrammar extends createExpressionGrammar(chevrotain, tokens) {
    readonly orderBy = this.RULE("orderBy", (): readonly OrderByItem[] => {
      const items: OrderByItem[] = [];
      this.AT_LEAST_ONE_SEP({
        SEP: T.Comma,
        DEF: () => {
          const item = this.SUBRULE(this.orderByItem);
          this.ACTION(() => {
            items.push(item);
            if (items.length > this.limits.orderByItems) throw tooComplex(this.limits, "orderByItems", item);
          });
        },
      });
      return items;
    });

    readonly orderByItem = this.RULE("orderByItem", (): OrderByItem => {
      const start = this.ACTION(() => this.here());
      const expression = this.SUBRULE(this.expression);
      let direction: Direction = "asc";
      this.OPTION(() => {
        const token = this.CONSUME(T.Direction);
        this.ACTION(() => {
          direction = token.image.toLowerCase() as Direction;
        });
      });
      return this.ACTION(() => ({ start, end: this.done(), expression, direction }));
    });

    readonly compute = this.RULE("compute", (): readonly ComputeItem[] => {
      const items: ComputeItem[] = [];
      this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.computeItem)) });
      return items;
    });

    readonly computeItem = this.RULE("computeItem", (): ComputeItem => {
      const start = this.ACTION(() => this.here());
      const expression = this.SUBRULE(this.expression);
      const name = this.SUBRULE(this.alias);
      return this.ACTION(() => ({ start, end: this.done(), expression, name }));
    });
  };
}
