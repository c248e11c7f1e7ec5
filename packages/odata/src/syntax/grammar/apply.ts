import type { ApplyArgument, Transformation } from "../items.ts";
import type { AggregateItem, Span } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createGroupingGrammar } from "./grouping.ts";
import { parseSearchWithin } from "./search.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";
import { transformationForm } from "./transformations.ts";

/**
 * Creates the grammar of `$apply`: a sequence of set transformations.
 *
 * Source: OData Extension for Data Aggregation 4.0, ABNF.
 */
export function createApplyGrammar(chevrotain: Chevrotain, tokens: Tokens) {
  const T = tokens;
  return class ApplyGrammar extends createGroupingGrammar(chevrotain, tokens) {
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
      const form = this.ACTION(
        () => transformationForm(token.image) ?? this.refuse(token, "a transformation"),
      );
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
     * Checks the alias and methods of an aggregate: an aggregation method or a count requires an alias, and after
     * an aggregation method every `from` requires a method. A custom aggregate has a name of its own.
     *
     * @throws {QueryError} `syntax_error`
     */
    checkAggregate(item: AggregateItem): void {
      const { expression, method, alias, from } = item;
      const items = expression.kind === "Name" && expression.name === "$count";
      if (items && method !== null) {
        const withToken = this.input.find(({ startOffset }) => startOffset >= expression.end);
        if (withToken !== undefined) this.refuse(withToken, "`as` or `from`");
      }
      const counts = items || expression.kind === "Count";
      const needed = method !== null || counts || from.some((step) => step.method !== null);
      for (const step of method === null ? [] : from) {
        const last = step.groupings.at(-1);
        if (step.method === null && last !== undefined) this.refuse(this.tokenAfter(last), "`with`");
      }
      if (needed && alias === null) this.refuse(this.tokenAfter(item), "`as`");
    }

    /** Returns the span of the token after `node`. */
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

    override readonly sequenceArgument = this.RULE("sequenceArgument", (): ApplyArgument => {
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
