import type { IToken } from "chevrotain";
import { QueryError } from "../../errors.ts";
import type { ExpandItem, SelectItem, SelectOptions, Transformation } from "../tree.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createItemsGrammar } from "./items.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/** What an item is, which decides the options that its parentheses may hold. */
type Place = "select" | "expand" | "reference" | "count" | "star";

const counting = ["filter", "search"] as const;
const referring = [...counting, "orderby", "skip", "top", "count"] as const;
const temporal = ["at", "from", "to", "toinclusive"] as const;
const selecting = [...referring, "select", "expand", "compute", ...temporal] as const;

/** Source: OData 4.01 ABNF, `selectOption`, `expandOption`, `expandRefOption` and `expandCountOption`. */
const optionsOf: Readonly<Record<Place, readonly string[]>> = {
  select: selecting,
  expand: [...selecting, "levels", "apply"],
  reference: referring,
  count: counting,
  star: ["levels"],
};

const members = {
  at: "at",
  from: "from",
  to: "to",
  toinclusive: "toInclusive",
  orderby: "orderBy",
} as const;

const memberOf = (name: string): string => (Object.hasOwn(members, name) ? members[name as "at"] : name);

/** Values by the form of their option. */
const forms: Readonly<
  Record<string, "expression" | "orderBy" | "select" | "expand" | "compute" | "count" | "number" | "levels">
> = {
  filter: "expression",
  at: "expression",
  from: "expression",
  to: "expression",
  toinclusive: "expression",
  orderby: "orderBy",
  select: "select",
  expand: "expand",
  compute: "compute",
  count: "count",
  top: "number",
  skip: "number",
  levels: "levels",
};

const bareName = (token: IToken): string => token.image.replace(/^\$/, "").toLowerCase();

type OptionValue = SelectOptions[keyof SelectOptions];

/**
 * `$select` and `$expand`, with the options in the parentheses of their items.
 *
 * Source: OData 4.01 ABNF, `select` and `expand`; OData Extension for Temporal Data 4.0.
 */
export function createExpandGrammar(
  chevrotain: Chevrotain,
  tokens: Tokens,
  parseApply: (text: string, span: { start: number; end: number }) => readonly Transformation[],
) {
  const T = tokens;
  return class ExpandGrammar extends createItemsGrammar(chevrotain, tokens) {
    constructor() {
      super(tokens.applyTokens);
      this.performSelfAnalysis();
    }

    readonly select = this.RULE("select", (): readonly SelectItem[] => {
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
      this.ACTION(() => {
        if (this.here() !== endOf(slash) && this.here() < this.text.length) {
          this.refuse({ start: endOf(slash), end: this.here() }, "a path segment");
        }
      });
    });

    /** `(Name,Name)`, which tells the overloads of a bound function apart. */
    readonly parameterNames = this.RULE("parameterNames", (): readonly string[] => {
      const names: string[] = [];
      this.CONSUME(T.OpenParen);
      this.MANY_SEP({ SEP: T.Comma, DEF: () => names.push(this.CONSUME(T.Name).image) });
      this.CONSUME(T.CloseParen);
      return names;
    });

    readonly expand = this.RULE("expand", (): readonly ExpandItem[] => {
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

    placeOf(path: readonly string[], suffix: ExpandItem["suffix"]): Place {
      if (suffix === "$ref") return "reference";
      if (suffix === "$count") return "count";
      return path.at(-1) === "*" ? "star" : "expand";
    }

    readonly options = this.RULE("options", (place: Place): SelectOptions => {
      const options: Record<string, OptionValue> = {};
      this.CONSUME(T.OpenParen);
      this.ACTION(() => this.enter());
      this.AT_LEAST_ONE_SEP({
        SEP: T.Semicolon,
        DEF: () => this.SUBRULE(this.itemOption, { ARGS: [place, options] }),
      });
      this.CONSUME(T.CloseParen);
      this.ACTION(() => this.leave());
      return options as SelectOptions;
    });

    readonly itemOption = this.RULE(
      "itemOption",
      (place: Place, options: Record<string, OptionValue>): void => {
        this.OR([
          {
            ALT: () => {
              const token = this.CONSUME(T.SearchOption);
              this.ACTION(() => {
                this.permit(place, "search", token, options);
                options["search"] = this.searchOf(token);
              });
            },
          },
          {
            ALT: () => {
              const token = this.CONSUME(T.ApplyOption);
              this.ACTION(() => {
                this.permit(place, "apply", token, options);
                const from = token.startOffset + token.image.indexOf("=") + 1;
                options["apply"] = parseApply(this.text, { start: from, end: endOf(token) });
              });
            },
          },
          { ALT: () => this.SUBRULE(this.aliasOption, { ARGS: [place, options] }) },
          { ALT: () => this.SUBRULE(this.namedOption, { ARGS: [place, options] }) },
        ]);
      },
    );

    readonly aliasOption = this.RULE(
      "aliasOption",
      (place: Place, options: Record<string, OptionValue>): void => {
        const token = this.CONSUME(T.At);
        this.CONSUME(T.Equals);
        const value = this.SUBRULE(this.item);
        this.ACTION(() => {
          if (place !== "select" && place !== "expand") this.refuse(token, "a query option");
          const aliases = (options["aliases"] ?? {}) as NonNullable<SelectOptions["aliases"]>;
          if (Object.hasOwn(aliases, token.image)) this.repeated(token, token.image);
          options["aliases"] = { ...aliases, [token.image]: value };
        });
      },
    );

    readonly namedOption = this.RULE(
      "namedOption",
      (place: Place, options: Record<string, OptionValue>): void => {
        const token = this.OR([{ ALT: () => this.CONSUME(T.Dollar) }, { ALT: () => this.CONSUME(T.Name) }]);
        const name = this.ACTION(() => bareName(token));
        this.ACTION(() => this.permit(place, name, token, options));
        this.CONSUME(T.Equals);
        const form = forms[name];
        const value = this.OR2<OptionValue>([
          { GATE: () => form === "expression", ALT: () => this.SUBRULE(this.expression) },
          { GATE: () => form === "orderBy", ALT: () => this.SUBRULE(this.orderBy) },
          { GATE: () => form === "select", ALT: () => this.SUBRULE(this.select) },
          { GATE: () => form === "expand", ALT: () => this.SUBRULE(this.expand) },
          { GATE: () => form === "compute", ALT: () => this.SUBRULE(this.compute) },
          { GATE: () => form === "count", ALT: () => this.SUBRULE(this.flag) },
          { GATE: () => form === "number", ALT: () => this.SUBRULE(this.wholeNumber) },
          { GATE: () => form === "levels", ALT: () => this.SUBRULE(this.levels) },
        ]);
        this.ACTION(() => {
          options[memberOf(name)] = value;
        });
      },
    );

    /** Refuse the option `name` where its place has no such option, or has it already. */
    permit(place: Place, name: string, token: IToken, options: Readonly<Record<string, unknown>>): void {
      if (!optionsOf[place].includes(name)) this.refuse(token, "a query option");
      if (Object.hasOwn(options, memberOf(name))) this.repeated(token, `$${name}`);
    }

    repeated(token: IToken, name: string): never {
      throw new QueryError("duplicate_option", spanOf(token), { name });
    }

    readonly flag = this.RULE("flag", (): boolean => {
      const token = this.CONSUME(T.Truth);
      return this.ACTION(() => token.image.toLowerCase() === "true");
    });

    readonly wholeNumber = this.RULE("wholeNumber", (): number => {
      const token = this.CONSUME(T.Numeral);
      return this.ACTION(() => {
        if (!/^\d{1,15}$/.test(token.image)) this.refuse(token, "a whole number");
        return Number(token.image);
      });
    });

    readonly levels = this.RULE("levels", (): number | "max" =>
      this.OR<number | "max">([
        {
          ALT: () => {
            const token = this.CONSUME(T.Numeral);
            return this.ACTION(() => {
              if (!/^[1-9]\d{0,8}$/.test(token.image)) this.refuse(token, "a number from 1 on, or `max`");
              return Number(token.image);
            });
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(T.Name);
            return this.ACTION(() => {
              if (token.image.toLowerCase() !== "max") this.refuse(token, "a number from 1 on, or `max`");
              return "max" as const;
            });
          },
        },
      ]),
    );
  };
}
