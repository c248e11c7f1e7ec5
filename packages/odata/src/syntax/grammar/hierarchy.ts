import type { IToken } from "chevrotain";
import type { ApplyArgument } from "../items.ts";
import type { SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createItemsGrammar } from "./items.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";
import { transformationForm } from "./transformations.ts";

const orders = { preorder: "preorder", postorder: "postorder" } as const;

/**
 * Creates the grammar of the transformations of recursive hierarchies: `ancestors`, `descendants` and `traverse`.
 *
 * Source: OData Extension for Data Aggregation 4.0, 6.2.
 */
export function createHierarchyGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class HierarchyGrammar extends createItemsGrammar(chevrotain, tokens) {
    declare readonly sequenceArgument: () => ApplyArgument;

    /** The collection of nodes, the qualifier of the hierarchy, and the path to a node's identifier. */
    readonly hierarchyNodes = this.RULE("hierarchyNodes", (args: ApplyArgument[]): void => {
      const nodes = this.SUBRULE(this.path);
      this.CONSUME(T.Comma);
      const qualifier = this.CONSUME(T.Name);
      this.CONSUME2(T.Comma);
      const path = this.SUBRULE(this.plainPath);
      this.ACTION(() =>
        args.push(
          { kind: "Expression", expression: nodes },
          { kind: "Expression", expression: { kind: "Name", ...spanOf(qualifier), name: qualifier.image } },
          { kind: "Expression", expression: path },
        ),
      );
    });

    readonly plainPath = this.RULE("plainPath", (): SyntaxNode => {
      const first = this.CONSUME(T.Name);
      let node = this.ACTION(
        (): SyntaxNode => this.made({ kind: "Name", ...spanOf(first), name: first.image }),
      );
      this.MANY(() => {
        this.CONSUME(T.Slash);
        const token = this.CONSUME2(T.Name);
        this.ACTION(() => {
          const base = node;
          node = this.made({ kind: "Member", start: base.start, end: endOf(token), base, name: token.image });
        });
      });
      return node;
    });

    readonly hierarchy = this.RULE("hierarchy", (): readonly ApplyArgument[] => {
      const args: ApplyArgument[] = [];
      this.SUBRULE(this.hierarchyNodes, { ARGS: [args] });
      this.CONSUME(T.Comma);
      args.push(this.SUBRULE(this.sequenceArgument));
      this.OPTION({
        GATE: () => this.LA(2).tokenType === T.Numeral,
        DEF: () => {
          this.CONSUME2(T.Comma);
          const expression = this.SUBRULE(this.expression);
          args.push({ kind: "Expression", expression });
        },
      });
      this.OPTION2(() => {
        this.CONSUME3(T.Comma);
        args.push(this.SUBRULE(this.keepStart));
      });
      return args;
    });

    readonly keepStart = this.RULE("keepStart", (): ApplyArgument => {
      const keep = this.CONSUME(T.Name);
      this.ACTION(() => this.expectWord(keep, "keep"));
      const start = this.CONSUME2(T.Name);
      this.ACTION(() => this.expectWord(start, "start"));
      return { kind: "Keyword", word: "keep start" };
    });

    expectWord(token: IToken, word: string): void {
      if (token.image.toLowerCase() !== word) this.refuse(token, `\`${word}\``);
    }

    readonly traversal = this.RULE("traversal", (): readonly ApplyArgument[] => {
      const args: ApplyArgument[] = [];
      this.SUBRULE(this.hierarchyNodes, { ARGS: [args] });
      this.CONSUME(T.Comma);
      const order = this.CONSUME(T.Name);
      this.ACTION(() => {
        const word = order.image.toLowerCase();
        if (!Object.hasOwn(orders, word)) this.refuse(order, "`preorder` or `postorder`");
        args.push({ kind: "Keyword", word: orders[word as keyof typeof orders] });
      });
      this.OPTION({
        GATE: () => this.isTransformation(),
        DEF: () => {
          this.CONSUME2(T.Comma);
          args.push(this.SUBRULE(this.sequenceArgument));
        },
      });
      this.OPTION2(() => {
        this.CONSUME3(T.Comma);
        const items = this.SUBRULE(this.orderBy);
        args.push({ kind: "OrderBy", items });
      });
      return args;
    });

    /** True if a transformation follows the next comma. `concat(…)` is a function at that position. */
    isTransformation(): boolean {
      const name = this.LA(2).image.toLowerCase();
      if (name === "identity") return true;
      return name !== "concat" && transformationForm(name) !== undefined && this.LA(3).image === "(";
    }
  };
}
