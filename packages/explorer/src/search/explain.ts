import type { Comparator, SyntaxNode } from "@cadastre/odata/tree";

type Words = (node: SyntaxNode) => string;

const comparators: Readonly<Record<Comparator, string>> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
};

const operators: Readonly<Record<string, string>> = {
  add: "+",
  sub: "−",
  mul: "×",
  div: "÷",
  divby: "÷",
  mod: "modulo",
};

/** Calls in words; any other one is said as it is written. */
const calls: Readonly<Record<string, (args: readonly string[]) => string>> = {
  contains: ([text, part]) => `${text} contains ${part}`,
  startswith: ([text, part]) => `${text} starts with ${part}`,
  endswith: ([text, part]) => `${text} ends with ${part}`,
  matchespattern: ([text, part]) => `${text} matches ${part}`,
  tolower: ([text]) => `${text} in small letters`,
  toupper: ([text]) => `${text} in capitals`,
  length: ([text]) => `the length of ${text}`,
  year: ([date]) => `the year of ${date}`,
  month: ([date]) => `the month of ${date}`,
  day: ([date]) => `the day of ${date}`,
  date: ([date]) => `the date of ${date}`,
  now: () => "now",
  round: ([number]) => `${number} rounded`,
  "geo.distance": ([a, b]) => `the distance from ${a} to ${b} in metres`,
  "geo.intersects": ([a]) => `${a} is inside the area`,
};

const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 10 });

const isYear = /\byear\b/i;

/** Says the other side of a comparison: years are not grouped, amounts are. */
function amount(text: string, beside: string): string {
  const value = Number(text);
  return isYear.test(beside) || !Number.isSafeInteger(value) ? text : number.format(value);
}

function isNull(node: SyntaxNode): boolean {
  return node.kind === "Literal" && node.type === "Null";
}

function comparison(node: SyntaxNode & { readonly kind: "Compare" }, words: Words): string {
  const { comparator, left, right } = node;
  const subject = words(left);
  if (isNull(right) && (comparator === "eq" || comparator === "ne"))
    return `${subject} ${comparator === "eq" ? "is empty" : "has a value"}`;
  if (left.kind === "Call" && left.name.toLowerCase() === "geo.distance" && right.kind === "Literal") {
    const [a, b] = left.args.map(words);
    const reach = comparator === "gt" || comparator === "ge" ? "farther" : "within";
    const kilometres = number.format(Math.round(Number(right.value)) / 1000);
    return reach === "within"
      ? `${a} is within ${kilometres} km of ${b}`
      : `${a} is farther than ${kilometres} km from ${b}`;
  }
  const object =
    right.kind === "Literal" && right.type !== "String" ? amount(String(right.value), subject) : words(right);
  return `${subject} ${comparators[comparator]} ${object}`;
}

/** Says a syntax tree in plain English. `titleOfField` gives the name of a field that people read. */
export function explain(node: SyntaxNode, titleOfField: (name: string) => string): string {
  const variables = new Map<string, string>();
  const words: Words = (one) => {
    switch (one.kind) {
      case "Literal":
        return one.type === "String" ? `“${one.value}”` : String(one.value);
      case "Name":
        return variables.get(one.name) ?? titleOfField(one.name);
      case "Member":
        return `${words(one.base)}’s ${titleOfField(one.name)}`;
      case "Geo":
        return one.shape.type === "Point"
          ? `${one.shape.coordinates[1]}°, ${one.shape.coordinates[0]}°`
          : "an area";
      case "Compare":
        return comparison(one, words);
      case "Logical":
        return one.operands
          .map((operand) =>
            operand.kind === "Logical" && operand.operator !== one.operator
              ? `(${words(operand)})`
              : words(operand),
          )
          .join(` ${one.operator} `);
      case "Not":
        return `not: ${words(one.operand)}`;
      case "In":
        return `${words(one.operand)} is one of ${words(one.right)}`;
      case "Has":
        return `${words(one.operand)} has ${words(one.right)}`;
      case "List":
      case "Array":
        return one.items.map(words).join(", ");
      case "Arithmetic":
        return `${words(one.left)} ${operators[one.operator] ?? one.operator} ${words(one.right)}`;
      case "Negate":
        return `−${words(one.operand)}`;
      case "Count":
        return `the number of ${words(one.base)}`;
      case "Lambda": {
        const base = words(one.base);
        if (one.variable === null || one.predicate === null) return `${base} has items`;
        variables.set(one.variable, "it");
        const predicate = words(one.predicate);
        const equal = /^it is (“.*”)$/.exec(predicate)?.[1];
        if (one.operator === "any" && equal !== undefined) return `${base} includes ${equal}`;
        return one.operator === "any"
          ? `for some of ${base}, ${predicate}`
          : `for all of ${base}, ${predicate}`;
      }
      case "Call": {
        const args = one.args.map(words);
        return calls[one.name.toLowerCase()]?.(args) ?? `${one.name}(${args.join(", ")})`;
      }
      default:
        return "a computed value";
    }
  };
  return words(node);
}
