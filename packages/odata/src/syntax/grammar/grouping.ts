import type { ApplyArgument } from "../items.ts";
import type { SyntaxNode } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createHierarchyGrammar } from "./hierarchy.ts";
import { spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Creates the grammar of the arguments of `groupby`: groupings (paths, `rollup` and `rolluprecursive`), and the transformations of each group.
 *
 * Source: OData Extension for Data Aggregation 4.0, 3.2 and 6.3.
 */
export function createGroupingGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class GroupingGrammar extends createHierarchyGrammar(chevrotain, tokens) {
    readonly grouped = this.RULE("grouped", (): readonly ApplyArgument[] => {
      const start = this.ACTION(() => this.here());
      const items: (SyntaxNode | ApplyArgument)[] = [];
      this.CONSUME(T.OpenParen);
      this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.grouping)) });
      this.CONSUME(T.CloseParen);
      const args: ApplyArgument[] = [];
      this.ACTION(() => args.push({ kind: "Grouping", start, end: this.done(), items }));
      this.OPTION(() => {
        this.CONSUME(T.Comma);
        args.push(this.SUBRULE(this.sequenceArgument));
      });
      return args;
    });

    readonly grouping = this.RULE("grouping", (): SyntaxNode | ApplyArgument => {
      const start = this.ACTION(() => this.here());
      return this.OR<SyntaxNode | ApplyArgument>([
        {
          GATE: () => this.calls("rollup"),
          ALT: () => {
            const items: SyntaxNode[] = [];
            this.CONSUME(T.Name);
            this.CONSUME(T.OpenParen);
            this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.rollupItem)) });
            this.CONSUME(T.CloseParen);
            return this.ACTION(() => ({ kind: "Rollup", start, end: this.done(), items }));
          },
        },
        {
          GATE: () => this.calls("rolluprecursive"),
          ALT: () => {
            this.CONSUME2(T.Name);
            this.CONSUME2(T.OpenParen);
            const args: ApplyArgument[] = [];
            this.SUBRULE(this.hierarchyNodes, { ARGS: [args] });
            this.OPTION(() => {
              this.CONSUME2(T.Comma);
              args.push(this.SUBRULE(this.sequenceArgument));
            });
            this.CONSUME2(T.CloseParen);
            return this.ACTION(() => ({ kind: "RollupRecursive", start, end: this.done(), args }));
          },
        },
        { ALT: () => this.SUBRULE(this.path) },
      ]);
    });

    /** A level of `rollup`: a path, or `$all` for the grand total. */
    readonly rollupItem = this.RULE(
      "rollupItem",
      (): SyntaxNode =>
        this.OR<SyntaxNode>([
          {
            GATE: () => this.LA(1).image === "$all",
            ALT: () => {
              const token = this.CONSUME(T.Dollar);
              return this.ACTION(() => this.made({ kind: "Name", ...spanOf(token), name: "$all" }));
            },
          },
          { ALT: () => this.SUBRULE(this.path) },
        ]),
    );

    calls(name: string): boolean {
      return this.LA(1).image.toLowerCase() === name && this.LA(2).image === "(";
    }
  };
}
