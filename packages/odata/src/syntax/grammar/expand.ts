import type { IToken } from "chevrotain";
import type { ExpandItem, SelectItem, SelectOptions } from "../items.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { type ApplyParser, createNestedOptionsGrammar, type ItemKind } from "./nested-options.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Creates the grammar of `$select` and `$expand`.
 *
 * Source: OData 4.01 ABNF, `select` and `expand`.
 */
export function createExpandGrammar(chevrotain: Chevrotain, tokens: Tokens, parseApply: ApplyParser) {
  const T = tokens;
  return class ExpandGrammar extends createNestedOptionsGrammar(chevrotain, tokens, parseApply) {
    constructor() {
      super(tokens.applyTokens);
      this.performSelfAnalysis();
    }

    override readonly select = this.RULE("select", (): readonly SelectItem[] => {
      const items: SelectItem[] = [];
      this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.selectItem)) });
      return items;
    });

    readonly selectItem = this.RULE("selectItem", (): SelectItem => {
      const start = this.ACTION(() => this.here());
      const path: string[] = [];
      let parameters: readonly string[] | null = null;
      let options: SelectOptions | null = null;
      this.OR([
        { ALT: () => path.push(this.CONSUME(T.Star).image) },
        { ALT: () => path.push(this.CONSUME(T.QualifiedStar).image) },
        {
          ALT: () => {
            path.push(this.SUBRULE(this.itemSegment));
            this.MANY(() => {
              this.SUBRULE(this.gluedSlash);
              path.push(this.SUBRULE2(this.itemSegment));
            });
            this.OPTION({
              GATE: () => this.glued(),
              DEF: () =>
                this.OR2([
                  {
                    GATE: () => !this.LA(2).image.includes("=") && this.LA(3).image !== "=",
                    ALT: () => {
                      const names = this.SUBRULE(this.parameterNames);
                      parameters = names;
                    },
                  },
                  {
                    ALT: () => {
                      const given = this.SUBRULE(this.options, { ARGS: ["select"] });
                      options = given;
                    },
                  },
                ]),
            });
          },
        },
      ]);
      return this.ACTION(() => ({ start, end: this.done(), path, parameters, options }));
    });

    readonly itemSegment = this.RULE(
      "itemSegment",
      (): string => this.OR([{ ALT: () => this.CONSUME(T.Name) }, { ALT: () => this.CONSUME(T.At) }]).image,
    );

    readonly gluedSlash = this.RULE("gluedSlash", (): void => {
      const slash = this.CONSUME(T.Slash);
      this.ACTION(() => this.tight(slash));
    });

    /** `(Name,Name)`: parameter names, which select an overload of a bound function. */
    readonly parameterNames = this.RULE("parameterNames", (): readonly string[] => {
      const names: string[] = [];
      this.CONSUME(T.OpenParen);
      this.MANY_SEP({ SEP: T.Comma, DEF: () => names.push(this.CONSUME(T.Name).image) });
      this.CONSUME(T.CloseParen);
      return names;
    });

    override readonly expand = this.RULE("expand", (): readonly ExpandItem[] => {
      const items: ExpandItem[] = [];
      this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.expandItem)) });
      return items;
    });

    readonly expandItem = this.RULE("expandItem", (): ExpandItem => {
      const start = this.ACTION(() => this.here());
      const path: string[] = [];
      let suffix: ExpandItem["suffix"] = null;
      let options: SelectOptions | null = null;
      this.OR([
        {
          GATE: () => this.LA(1).image.toLowerCase() === "$value",
          ALT: () => {
            this.CONSUME(T.Dollar);
            this.ACTION(() => {
              suffix = "$value";
            });
          },
        },
        {
          ALT: () => {
            path.push(this.SUBRULE(this.expandSegment));
            this.MANY({
              GATE: () => suffix === null,
              DEF: () => {
                this.SUBRULE(this.gluedSlash);
                this.OR2([
                  { ALT: () => path.push(this.SUBRULE2(this.expandSegment)) },
                  {
                    ALT: () => {
                      const token = this.CONSUME2(T.Dollar);
                      this.ACTION(() => {
                        suffix = this.suffixOf(token);
                      });
                    },
                  },
                ]);
              },
            });
          },
        },
      ]);
      this.OPTION({
        GATE: () => this.glued() && suffix !== "$value",
        DEF: () => {
          const place = this.ACTION(() => this.placeOf(path, suffix));
          const given = this.SUBRULE(this.options, { ARGS: [place] });
          options = given;
        },
      });
      return this.ACTION(() => ({ start, end: this.done(), path, suffix, options }));
    });

    readonly expandSegment = this.RULE(
      "expandSegment",
      (): string =>
        this.OR([
          { ALT: () => this.CONSUME(T.Star) },
          { ALT: () => this.CONSUME(T.Name) },
          { ALT: () => this.CONSUME(T.At) },
        ]).image,
    );

    suffixOf(token: IToken): ExpandItem["suffix"] {
      const name = token.image.toLowerCase();
      if (name === "$ref" || name === "$count") return name;
      return this.refuse(token, "`$ref` or `$count`");
    }

    placeOf(path: readonly string[], suffix: ExpandItem["suffix"]): ItemKind {
      if (suffix === "$ref") return "reference";
      if (suffix === "$count") return "count";
      return path.at(-1) === "*" ? "star" : "expand";
    }
  };
}
