import type { AggregateItem, CountNode, LogicalNode, SyntaxNode } from "../tree.ts";
import { printGeo, printLiteral } from "./literal.ts";
import { printSearch } from "./search.ts";

/** Precedence of a node; higher binds tighter. The levels are those of the operator table. */
function binds(node: SyntaxNode): number {
  if (node.kind === "Logical") return node.operator === "or" ? 1 : 2;
  if (node.kind === "Compare") return node.comparator === "eq" || node.comparator === "ne" ? 3 : 4;
  if (node.kind === "Arithmetic") return node.operator === "add" || node.operator === "sub" ? 5 : 6;
  if (node.kind === "Not" || node.kind === "Negate") return 7;
  return node.kind === "Has" || node.kind === "In" ? 8 : 9;
}

/** Prints `node`, in parentheses if it binds more loosely than `level`. */
function atLeast(level: number, node: SyntaxNode): string {
  const text = printExpression(node);
  // A property named `not` before an operator would be read as the operator `not`.
  const isWord = node.kind === "Name" && node.name.toLowerCase() === "not";
  return binds(node) < level || isWord ? `(${text})` : text;
}

const binary = (level: number, left: SyntaxNode, word: string, right: SyntaxNode): string =>
  `${atLeast(level, left)} ${word} ${atLeast(level + 1, right)}`;

function logical(node: LogicalNode): string {
  const level = binds(node) + 1;
  return node.operands.map((operand) => atLeast(level, operand)).join(` ${node.operator} `);
}

/** Prints a negation. A minus before a numeral would be read as its sign. */
function negated(operand: SyntaxNode): string {
  const text = atLeast(7, operand);
  return /^(?:\d|INF)/.test(text) ? `-(${printExpression(operand)})` : `-${text}`;
}

const listed = (nodes: readonly SyntaxNode[]): string => nodes.map(printExpression).join(",");

const named = (args: readonly { readonly name: string | null; readonly value: SyntaxNode }[]): string =>
  args.map(({ name, value }) => (name === null ? "" : `${name}=`) + printExpression(value)).join(",");

function count({ base, filter, search }: CountNode): string {
  const options = [
    ...(filter === null ? [] : [`$filter=${printExpression(filter)}`]),
    ...(search === null ? [] : [`$search=${printSearch(search)}`]),
  ];
  return `${printExpression(base)}/$count${options.length === 0 ? "" : `(${options.join(";")})`}`;
}

/** Prints `expression with method from … as alias`. */
export function printAggregate({ expression, method, from, alias }: AggregateItem): string {
  const steps = from.map(
    (step) => ` from ${listed(step.groupings)}${step.method === null ? "" : ` with ${step.method}`}`,
  );
  const by = method === null ? "" : ` with ${method}`;
  return `${printExpression(expression)}${by}${steps.join("")}${alias === null ? "" : ` as ${alias}`}`;
}

/** Ends of a condition and starts of a value that are read as one time of day: `10:15`, and `08:30:15`. */
const timesAcrossColon = [
  { hour: /(?<![\w.+\-\u0080-\uFFFF])\d\d$/, rest: /^\d\d(?!\d)/ },
  { hour: /\d\d:\d\d$/, rest: /^\d\d/ },
] as const;

/** Prints a branch of `case`. In `Count eq 10:15`, `10:15` would be read as a time of day. */
function branch({ condition, value }: { condition: SyntaxNode; value: SyntaxNode }): string {
  const [when, then] = [printExpression(condition), printExpression(value)];
  const isTime = timesAcrossColon.some(({ hour, rest }) => hour.test(when) && rest.test(then));
  return isTime ? `(${when}):${then}` : `${when}:${then}`;
}

/**
 * Prints an expression in canonical form, with as few parentheses as possible. Parsing the text gives `node` again.
 */
export function printExpression(node: SyntaxNode): string {
  switch (node.kind) {
    case "Literal":
      return printLiteral(node);
    case "Enum":
      return `${node.typeName}'${node.value}'`;
    case "Geo":
      return printGeo(node);
    case "Name":
    case "Alias":
    case "Type":
      return node.name;
    case "Root":
      return "$root";
    case "Annotation": {
      const term = `@${node.term}${node.qualifier === null ? "" : `#${node.qualifier}`}`;
      return node.base === null ? term : `${printExpression(node.base)}/${term}`;
    }
    case "Member":
      return `${printExpression(node.base)}/${node.name}`;
    case "Key":
      return `${printExpression(node.base)}(${named(node.key)})`;
    case "Count":
      return count(node);
    case "Filter":
      return `${printExpression(node.base)}/$filter(${printExpression(node.predicate)})`;
    case "Aggregation":
      return `${printExpression(node.base)}/aggregate(${printAggregate(node.item)})`;
    case "Lambda": {
      const body = node.predicate === null ? "" : `${node.variable}:${printExpression(node.predicate)}`;
      return `${printExpression(node.base)}/${node.operator}(${body})`;
    }
    case "Call":
      return `${node.name}(${listed(node.args)})`;
    case "Method": {
      const call = `${node.name}(${named(node.args)})`;
      return node.base === null ? call : `${printExpression(node.base)}/${call}`;
    }
    case "Case":
      return `case(${node.branches.map(branch).join(",")})`;
    case "Compare":
      return binary(binds(node), node.left, node.comparator, node.right);
    case "Arithmetic":
      return binary(binds(node), node.left, node.operator, node.right);
    case "Has":
      return binary(8, node.operand, "has", node.right);
    case "In":
      return binary(8, node.operand, "in", node.right);
    case "Negate":
      return negated(node.operand);
    case "Not":
      return `not ${atLeast(7, node.operand)}`;
    case "Logical":
      return logical(node);
    case "List":
      return `(${listed(node.items)})`;
    case "Array":
      return `[${listed(node.items)}]`;
    case "Object":
      return `{${node.members
        .map(({ name, value }) => `${JSON.stringify(name)}:${printExpression(value)}`)
        .join(",")}}`;
  }
}
