import type { IToken } from "chevrotain";
import type { AggregateItem, ApplyArgument, Span, SyntaxNode, Transformation } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createItemsGrammar } from "./items.ts";
import { parseSearchWithin } from "./search.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/** What stands between the parentheses of a transformation. */
type Form =
  | "aggregate"
  | "nothing"
  | "expression"
  | "pair"
  | "search"
  | "orderBy"
  | "compute"
  | "sequences"
  | "grouping"
  | "nested"
  | "added"
  | "joined"
  | "hierarchy"
  | "traversal"
  | "parameters";

/** Source: OData Extension for Data Aggregation 4.0, 3.2 to 3.11 and 6.2. */
const forms: Readonly<Record<string, Form>> = {
  aggregate: "aggregate",
  identity: "nothing",
  filter: "expression",
  search: "search",
  top: "expression",
  skip: "expression",
  orderby: "orderBy",
  compute: "compute",
  concat: "sequences",
  groupby: "grouping",
  topcount: "pair",
  topsum: "pair",
  toppercent: "pair",
  bottomcount: "pair",
  bottomsum: "pair",
  bottompercent: "pair",
  nest: "nested",
  addnested: "added",
  join: "joined",
  outerjoin: "joined",
  ancestors: "hierarchy",
  descendants: "hierarchy",
  traverse: "traversal",
};

const formOf = (name: string): Form | undefined =>
  Object.hasOwn(forms, name.toLowerCase())
    ? forms[name.toLowerCase()]
    : name.includes(".")
      ? "parameters"
      : undefined;

const keywords = { preorder: "preorder", postorder: "postorder" } as const;

/**
 * `$apply`: set transformations in sequence.
 *
 * Source: OData Extension for Data Aggregation 4.0, ABNF.
 */
export function createApplyGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class ApplyGrammar extends createItemsGrammar(chevrotain, tokens) {
    constructor() {
      super(tokens.applyTokens);
      this.performSelfAnalysis();
    }

    readonly sequence = this.RULE("sequence", (): readonly Transformation[] => {
      const transformations = [this.SUBRULE(this.transformation)];
      this.MANY(() => {
        this.CONSUME(T.Slash);
        transformations.push(this.SUBRULE2(this.transformation));
      });
      return transformations;
    });

    readonly transformation = this.RULE("transformation", (): Transformation => {
      const token = this.CONSUME(T.Name);
      const form = this.ACTION(() => formOf(token.image) ?? this.refuse(token, "a transformation"));
      let args: readonly ApplyArgument[] = [];
      this.OPTION({
        GATE: () => form !== "nothing" && this.glued(),
        DEF: () => {
          this.CONSUME(T.OpenParen);
          this.ACTION(() => this.enter());
          args = this.OR<readonly ApplyArgument[]>([
            { GATE: () => form === "aggregate", ALT: () => this.SUBRULE(this.aggregates) },
            { GATE: () => form === "expression", ALT: () => this.SUBRULE(this.single) },
            { GATE: () => form === "pair", ALT: () => this.SUBRULE(this.pair) },
            { GATE: () => form === "search", ALT: () => this.SUBRULE(this.searched) },
            { GATE: () => form === "orderBy", ALT: () => this.SUBRULE(this.ordered) },
            { GATE: () => form === "compute", ALT: () => this.SUBRULE(this.computed) },
            { GATE: () => form === "sequences", ALT: () => this.SUBRULE(this.sequences) },
            { GATE: () => form === "grouping", ALT: () => this.SUBRULE(this.grouped) },
            { GATE: () => form === "nested", ALT: () => this.SUBRULE(this.nested) },
            { GATE: () => form === "added", ALT: () => this.SUBRULE(this.added) },
            { GATE: () => form === "joined", ALT: () => this.SUBRULE(this.joined) },
            { GATE: () => form === "hierarchy", ALT: () => this.SUBRULE(this.hierarchy) },
            { GATE: () => form === "traversal", ALT: () => this.SUBRULE(this.traversal) },
            { GATE: () => form === "parameters", ALT: () => this.SUBRULE(this.parameters) },
          ]);
          this.CONSUME(T.CloseParen);
          this.ACTION(() => this.leave());
        },
      });
      return this.ACTION(() => {
        if (form !== "nothing" && endOf(token) === this.done()) throw this.after(spanOf(token), "`(`");
        const name = form === "parameters" ? token.image : token.image.toLowerCase();
        return { kind: "Transformation", start: token.startOffset, end: this.done(), name, args };
      });
    });

    readonly aggregates = this.RULE("aggregates", (): readonly ApplyArgument[] => {
      const items: AggregateItem[] = [];
      this.AT_LEAST_ONE_SEP({
        SEP: T.Comma,
        DEF: () => {
          const item = this.SUBRULE(this.aggregateItem);
          this.ACTION(() => {
            this.checkAggregate(item);
            items.push(item);
          });
        },
      });
      return items;
    });

    /**
     * An aggregation method and a count need an alias, and after them every `from` needs a method. A custom
     * aggregate has its own name.
     */
    checkAggregate(item: AggregateItem): void {
      const { expression, method, alias, from } = item;
      const items = expression.kind === "Name" && expression.name === "$count";
      if (items && method !== null) {
        const start = this.text.indexOf("with", expression.end);
        this.refuse({ start, end: start + 4 }, "`as` or `from`");
      }
      const counts = items || expression.kind === "Count";
      const needed = method !== null || counts || from.some((step) => step.method !== null);
      for (const step of method === null ? [] : from) {
        const last = step.groupings.at(-1);
        if (step.method === null && last !== undefined) this.refuse(this.tokenAfter(last), "`with`");
      }
      if (needed && alias === null) this.refuse(this.tokenAfter(item), "`as`");
    }

    /** The span of what follows `node` after white space. */
    tokenAfter({ end }: Span): Span {
      const start = end + (/^[ \t]*/.exec(this.text.slice(end))?.[0].length ?? 0);
      return { start, end: start + (/^\w+|^.?/.exec(this.text.slice(start))?.[0].length ?? 0) };
    }

    readonly single = this.RULE("single", (): readonly ApplyArgument[] => {
      const expression = this.SUBRULE(this.expression);
      return [{ kind: "Expression", expression }];
    });

    readonly pair = this.RULE("pair", (): readonly ApplyArgument[] => {
      const first = this.SUBRULE(this.expression);
      this.CONSUME(T.Comma);
      const second = this.SUBRULE2(this.expression);
      return [
        { kind: "Expression", expression: first },
        { kind: "Expression", expression: second },
      ];
    });

    readonly searched = this.RULE("searched", (): readonly ApplyArgument[] => {
      const token = this.CONSUME(T.SearchArgument);
      return this.ACTION(() => [
        { kind: "Search", search: parseSearchWithin(this.text, spanOf(token), this.limits) },
      ]);
    });

    readonly ordered = this.RULE("ordered", (): readonly ApplyArgument[] => {
      const items = this.SUBRULE(this.orderBy);
      return [{ kind: "OrderBy", items }];
    });

    readonly computed = this.RULE("computed", (): readonly ApplyArgument[] => {
      const items = this.SUBRULE(this.compute);
      return [{ kind: "Compute", items }];
    });

    readonly sequenceArgument = this.RULE("sequenceArgument", (): ApplyArgument => {
      const transformations = this.SUBRULE(this.sequence);
      return { kind: "Sequence", transformations };
    });

    readonly sequences = this.RULE("sequences", (): readonly ApplyArgument[] => {
      const args = [this.SUBRULE(this.sequenceArgument)];
      this.AT_LEAST_ONE(() => {
        this.CONSUME(T.Comma);
        args.push(this.SUBRULE2(this.sequenceArgument));
      });
      return args;
    });

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

    readonly nested = this.RULE("nested", (): readonly ApplyArgument[] => {
      const args: ApplyArgument[] = [];
      this.AT_LEAST_ONE_SEP({
        SEP: T.Comma,
        DEF: () => {
          const transformations = this.SUBRULE(this.sequence);
          const alias = this.SUBRULE(this.alias);
          args.push({ kind: "Nested", transformations, alias });
        },
      });
      return args;
    });

    readonly added = this.RULE("added", (): readonly ApplyArgument[] => {
      const expression = this.SUBRULE(this.path);
      this.ACTION(() => this.bareTypes.delete(expression));
      this.CONSUME(T.Comma);
      const rest = this.SUBRULE(this.nested);
      return this.ACTION(() => [{ kind: "Expression", expression }, ...rest]);
    });

    readonly joined = this.RULE("joined", (): readonly ApplyArgument[] => {
      const expression = this.SUBRULE(this.path);
      const alias = this.SUBRULE(this.alias);
      const args: ApplyArgument[] = [{ kind: "Joined", expression, alias }];
      this.OPTION(() => {
        this.CONSUME(T.Comma);
        args.push(this.SUBRULE(this.sequenceArgument));
      });
      return args;
    });

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

    /** Names with slashes between them. */
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
        if (!Object.hasOwn(keywords, word)) this.refuse(order, "`preorder` or `postorder`");
        args.push({ kind: "Keyword", word: keywords[word as keyof typeof keywords] });
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

    /** Whether a transformation follows the comma that is next. `concat(…)` is a function there. */
    isTransformation(): boolean {
      const name = this.LA(2).image.toLowerCase();
      if (name === "identity") return true;
      return name !== "concat" && formOf(name) !== undefined && this.LA(3).image === "(";
    }

    readonly parameters = this.RULE("parameters", (): readonly ApplyArgument[] => {
      const args: ApplyArgument[] = [];
      this.MANY_SEP({
        SEP: T.Comma,
        DEF: () => {
          const token = this.CONSUME(T.Name);
          this.CONSUME(T.Equals);
          const value = this.SUBRULE(this.item);
          this.ACTION(() => args.push({ kind: "Parameter", name: token.image, value }));
        },
      });
      return args;
    });
  };
}
