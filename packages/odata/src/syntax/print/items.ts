import type {
  ApplyArgument,
  ComputeItem,
  ExpandItem,
  OrderByItem,
  SelectItem,
  SelectOptions,
  Transformation,
} from "../items.ts";
import type { SyntaxNode } from "../tree.ts";
import { printAggregate, printExpression } from "./expression.ts";
import { printSearch } from "./search.ts";

/** Prints `$orderby` in canonical form. `asc` is omitted. */
export const printOrderBy = (items: readonly OrderByItem[]): string =>
  items
    .map(({ expression, direction }) => printExpression(expression) + (direction === "desc" ? " desc" : ""))
    .join(",");

/** Prints `$compute` in canonical form. */
export const printCompute = (items: readonly ComputeItem[]): string =>
  items.map(({ expression, name }) => `${printExpression(expression)} as ${name}`).join(",");

/** Printers of the options inside parentheses. */
const options: {
  readonly [K in keyof Required<SelectOptions>]: (value: NonNullable<SelectOptions[K]>) => string;
} = {
  filter: (value) => `$filter=${printExpression(value)}`,
  search: (value) => `$search=${printSearch(value)}`,
  apply: (value) => `$apply=${printApply(value)}`,
  compute: (value) => `$compute=${printCompute(value)}`,
  orderBy: (value) => `$orderby=${printOrderBy(value)}`,
  select: (value) => `$select=${printSelect(value)}`,
  expand: (value) => `$expand=${printExpand(value)}`,
  top: (value) => `$top=${value}`,
  skip: (value) => `$skip=${value}`,
  count: (value) => `$count=${value}`,
  levels: (value) => `$levels=${value}`,
  at: (value) => `$at=${printExpression(value)}`,
  from: (value) => `$from=${printExpression(value)}`,
  to: (value) => `$to=${printExpression(value)}`,
  toInclusive: (value) => `$toInclusive=${printExpression(value)}`,
  aliases: (value) =>
    Object.entries(value)
      .map(([name, expression]) => `${name}=${printExpression(expression)}`)
      .join(";"),
};

function printOption<K extends keyof SelectOptions>(name: K, given: SelectOptions): string | undefined {
  const value = given[name];
  return value === undefined ? undefined : options[name](value as NonNullable<SelectOptions[K]>);
}

function printOptions(given: SelectOptions | null): string {
  if (given === null) return "";
  const names = Object.keys(options) as (keyof SelectOptions)[];
  const texts = names.map((name) => printOption(name, given)).filter((text) => text !== undefined);
  return `(${texts.join(";")})`;
}

/** Prints `$select` in canonical form. */
export const printSelect = (items: readonly SelectItem[]): string =>
  items
    .map(({ path, parameters, options: given }) => {
      const overload = parameters === null ? "" : `(${parameters.join(",")})`;
      return path.join("/") + overload + printOptions(given);
    })
    .join(",");

/** Prints `$expand` in canonical form. */
export const printExpand = (items: readonly ExpandItem[]): string =>
  items
    .map(({ path, suffix, options: given }) => {
      const segments = suffix === null ? path : [...path, suffix];
      return segments.join("/") + printOptions(given);
    })
    .join(",");

const isArgument = (
  item: SyntaxNode | ApplyArgument,
): item is Extract<ApplyArgument, { kind: "Rollup" | "RollupRecursive" }> =>
  item.kind === "Rollup" || item.kind === "RollupRecursive";

function printArgument(argument: ApplyArgument): string {
  switch (argument.kind) {
    case "Expression":
      return printExpression(argument.expression);
    case "Aggregate":
      return printAggregate(argument);
    case "Rollup":
      return `rollup(${argument.items.map(printExpression).join(",")})`;
    case "RollupRecursive":
      return `rolluprecursive(${argument.args.map(printArgument).join(",")})`;
    case "Grouping":
      return `(${argument.items
        .map((item) => (isArgument(item) ? printArgument(item) : printExpression(item as SyntaxNode)))
        .join(",")})`;
    case "Sequence":
      return printApply(argument.transformations);
    case "Nested":
      return `${printApply(argument.transformations)} as ${argument.alias}`;
    case "Joined":
      return `${printExpression(argument.expression)} as ${argument.alias}`;
    case "OrderBy":
      return printOrderBy(argument.items);
    case "Search":
      return printSearch(argument.search);
    case "Compute":
      return printCompute(argument.items);
    case "Parameter":
      return `${argument.name}=${printExpression(argument.value)}`;
    case "Keyword":
      return argument.word;
  }
}

/** Prints `$apply` in canonical form. */
export const printApply = (transformations: readonly Transformation[]): string =>
  transformations
    .map(({ name, args }) => (name === "identity" ? name : `${name}(${args.map(printArgument).join(",")})`))
    .join("/");
