import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import type { ArithmeticNode, ArithmeticOperator, NegateNode } from "../syntax/tree.ts";
import type { Context } from "./context.ts";
import type { BoundNode, BoundType } from "./tree.ts";
import { isIntegral, isNumeric, typeName, wider } from "./typing.ts";

/** Result of arithmetic on dates and durations: operator, operands, result. `number` is any numeric type. */
const temporalRules: readonly (readonly [ArithmeticOperator, string, string, PrimitiveType])[] = [
  ["add", "Edm.DateTimeOffset", "Edm.Duration", "Edm.DateTimeOffset"],
  ["add", "Edm.Duration", "Edm.Duration", "Edm.Duration"],
  ["add", "Edm.Date", "Edm.Duration", "Edm.Date"],
  ["sub", "Edm.DateTimeOffset", "Edm.Duration", "Edm.DateTimeOffset"],
  ["sub", "Edm.Duration", "Edm.Duration", "Edm.Duration"],
  ["sub", "Edm.Date", "Edm.Duration", "Edm.Date"],
  ["sub", "Edm.DateTimeOffset", "Edm.DateTimeOffset", "Edm.Duration"],
  ["sub", "Edm.Date", "Edm.Date", "Edm.Duration"],
  ["mul", "Edm.Duration", "number", "Edm.Duration"],
  ["mul", "number", "Edm.Duration", "Edm.Duration"],
  ["div", "Edm.Duration", "number", "Edm.Duration"],
  ["divby", "Edm.Duration", "number", "Edm.Duration"],
];

/**
 * Operands of two numeric types are promoted to the wider. Integers are computed as Edm.Int64, and `divby`
 * of integers as decimals. Source: OData 4.01 URL Conventions, section 5.1.1.2.
 */
export function bindArithmetic(node: ArithmeticNode, context: Context): BoundNode {
  const left = context.bind(node.left, context);
  const right = context.bind(node.right, context);
  const type = arithmeticType(node.operator, left.type, right.type);
  if (type === undefined) {
    const actual = `${typeName(left.type)} and ${typeName(right.type)}`;
    throw new QueryError("type_mismatch", node, { operator: node.operator, actual });
  }
  return { kind: "Arithmetic", type, operator: node.operator, left, right };
}

function arithmeticType(operator: ArithmeticOperator, a: BoundType, b: BoundType): PrimitiveType | undefined {
  const [left, right] = [a === "Null" ? b : a, b === "Null" ? a : b];
  if (left === "Null") return "Edm.Int64";
  if (isNumeric(left) && isNumeric(right)) {
    const type = wider(left, right);
    if (!isIntegral(type)) return type;
    return operator === "divby" ? "Edm.Decimal" : "Edm.Int64";
  }
  const general = (type: BoundType) => (isNumeric(type) ? "number" : type);
  const rule = temporalRules.find(
    ([name, first, second]) => name === operator && first === general(left) && second === general(right),
  );
  return rule?.[3];
}

export function bindNegate(node: NegateNode, context: Context): BoundNode {
  const operand = context.bind(node.operand, context);
  const { type } = operand;
  if (type === "Null" || isIntegral(type)) return { kind: "Negate", type: "Edm.Int64", operand };
  if (isNumeric(type) || type === "Edm.Duration") return { kind: "Negate", type, operand };
  throw new QueryError("type_mismatch", node, { operator: "-", actual: typeName(type) });
}
