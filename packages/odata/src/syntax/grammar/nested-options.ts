import type { IToken } from "chevrotain";
import { QueryError } from "../../errors.ts";
import type { ExpandItem, SelectItem, SelectOptions, Transformation } from "../items.ts";
import type { Chevrotain } from "./chevrotain.ts";
import { createItemsGrammar } from "./items.ts";
import { endOf, spanOf } from "./token-stream.ts";
import type { Tokens } from "./tokens.ts";

/** Kind of an item, which determines the options that its parentheses may contain. */
export type ItemKind = "select" | "expand" | "reference" | "count" | "star";

const counting = ["filter", "search"] as const;
const referring = [...counting, "orderby", "skip", "top", "count"] as const;
const temporal = ["at", "from", "to", "toinclusive"] as const;
const selecting = [...referring, "select", "expand", "compute", ...temporal] as const;

/** Source: OData 4.01 ABNF, `selectOption`, `expandOption`, `expandRefOption` and `expandCountOption`. */
const optionsOf: Readonly<Record<ItemKind, readonly string[]>> = {
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

/** Form of the value of each option. */
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

/** Parses the `$apply` at `span` in `text`. */
export type ApplyParser = (
  text: string,
  span: { readonly start: number; readonly end: number },
) => readonly Transformation[];

/**
 * Creates the grammar of the options in the parentheses of an item of `$select` or `$expand`.
 *
 * Source: OData 4.01 ABNF, `selectOption` and `expandOption`; OData Extension for Temporal Data 4.0.
 */
export function createNestedOptionsGrammar(chevrotain: Chevrotain, tokens: Tokens, parseApply: ApplyParser) {
  const T = tokens;
  return class NestedOptionsGrammar extends createItemsGrammar(chevrotain, tokens) {
    declare readonly select: () => readonly SelectItem[];
    declare readonly expand: () => readonly ExpandItem[];

    readonly options = this.RULE("options", (place: ItemKind): SelectOptions => {
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
      (place: ItemKind, options: Record<string, OptionValue>): void => {
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
      (place: ItemKind, options: Record<string, OptionValue>): void => {
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
      (place: ItemKind, options: Record<string, OptionValue>): void => {
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

    /**
     * Checks that the option `name` is allowed in an item of this kind, and not given already.
     *
     * @throws {QueryError} `syntax_error` or `duplicate_option`
     */
    permit(place: ItemKind, name: string, token: IToken, options: Readonly<Record<string, unknown>>): void {
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
