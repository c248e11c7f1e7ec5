import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import type { ArithmeticNode, ArithmeticOperator, NegateNode } from "../syntax/tree.ts";
import { asDuration } from "./beside.ts";
import type { Context } from "./context.ts";
import { promote } from "./promote.ts";
import type { BoundNode, BoundType, ConstantNode } from "./tree.ts";
import { isIntegral, isNumeric, typeName, wider } from "./typing.ts";

/** Rules of arithmetic on dates and durations: operator, types of the operands, type of the result. */
export const temporalRules = [
  ["add", "Edm.DateTimeOffset", "Edm.Duration", "Edm.DateTimeOffset"],
  ["add", "Edm.Duration", "Edm.Duration", "Edm.Duration"],
  ["add", "Edm.Date", "Edm.Duration", "Edm.Date"],
  ["sub", "Edm.DateTimeOffset", "Edm.Duration", "Edm.DateTimeOffset"],
  ["sub", "Edm.Duration", "Edm.Duration", "Edm.Duration"],
  ["sub", "Edm.Date", "Edm.Duration", "Edm.Date"],
  ["sub", "Edm.DateTimeOffset", "Edm.DateTimeOffset", "Edm.Duration"],
  ["sub", "Edm.Date", "Edm.Date", "Edm.Duration"],
  ["mul", "Edm.Duration", "Edm.Decimal", "Edm.Duration"],
  ["mul", "Edm.Duration", "Edm.Double", "Edm.Duration"],
  ["mul", "Edm.Decimal", "Edm.Duration", "Edm.Duration"],
  ["mul", "Edm.Double", "Edm.Duration", "Edm.Duration"],
  ["div", "Edm.Duration", "Edm.Decimal", "Edm.Duration"],
  ["div", "Edm.Duration", "Edm.Double", "Edm.Duration"],
  ["divby", "Edm.Duration", "Edm.Decimal", "Edm.Duration"],
  ["divby", "Edm.Duration", "Edm.Double", "Edm.Duration"],
] as const satisfies readonly (readonly [ArithmeticOperator, PrimitiveType, PrimitiveType, PrimitiveType])[];

/** Types beside which a text is a duration without its prefix. */
const temporal: ReadonlySet<BoundType> = new Set(["Edm.Date", "Edm.DateTimeOffset", "Edm.Duration"]);

type Rule = { readonly left: PrimitiveType; readonly right: PrimitiveType; readonly result: PrimitiveType };

/**
 * Binds an arithmetic operation. Operands of two numeric types are promoted to the wider one. Integer arithmetic is
 * done in Edm.Int64; `divby` of integers gives a decimal. Source: OData 4.01 URL Conventions, section 5.1.1.2.
 */
export function bindArithmetic(node: ArithmeticNode, context: Context): BoundNode {
  const operands = [context.bind(node.left, context), context.bind(node.right, context)] as const;
  const [left, right] = operands.some(({ type }) => temporal.has(type))
    ? [asDuration(operands[0]), asDuration(operands[1])]
    : operands;
  const rule = ruleOf(node.operator, left.type, right.type);
  if (rule === undefined) {
    const actual = `${typeName(left.type)} and ${typeName(right.type)}`;
    throw new QueryError("type_mismatch", node, { operator: node.operator, actual });
  }
  if (left.type === "Null" || right.type === "Null") return nullConstant(rule.result);
  return {
    kind: "Arithmetic",
    type: rule.result,
    operator: node.operator,
    left: promote(left, rule.left),
    right: promote(right, rule.right),
  };
}

const nullConstant = (type: PrimitiveType): ConstantNode => ({ kind: "Constant", type, value: null });

function ruleOf(operator: ArithmeticOperator, a: BoundType, b: BoundType): Rule | undefined {
  // A null operand takes the type of the other one.
  const [left, right] = [a === "Null" ? b : a, b === "Null" ? a : b];
  if (left === "Null") return { left: "Edm.Int64", right: "Edm.Int64", result: "Edm.Int64" };
  if (isNumeric(left) && isNumeric(right)) {
    const type = numericResult(operator, wider<PrimitiveType>(left, right));
    return { left: type, right: type, result: type };
  }
  const [first, second] = [generalType(left), generalType(right)];
  const rule = temporalRules.find(
    ([name, one, other]) => name === operator && one === first && other === second,
  );
  return rule && { left: rule[1], right: rule[2], result: rule[3] };
}

function numericResult(operator: ArithmeticOperator, type: PrimitiveType): PrimitiveType {
  if (!isIntegral(type)) return type;
  return operator === "divby" ? "Edm.Decimal" : "Edm.Int64";
}

/** Generalises a numeric type to decimal or double, for arithmetic with a duration. */
function generalType(type: BoundType): BoundType {
  if (!isNumeric(type)) return type;
  return isIntegral(type) || type === "Edm.Decimal" ? "Edm.Decimal" : "Edm.Double";
}

export function bindNegate(node: NegateNode, context: Context): BoundNode {
  const operand = context.bind(node.operand, context);
  const { type } = operand;
  if (type === "Null") return nullConstant("Edm.Int64");
  if (isIntegral(type)) return { kind: "Negate", type: "Edm.Int64", operand: promote(operand, "Edm.Int64") };
  if (isNumeric(type) || type === "Edm.Duration") return { kind: "Negate", type, operand };
  throw new QueryError("type_mismatch", node, { operator: "-", actual: typeName(type) });
}
