import type { PrimitiveType } from "../model/types.ts";
import type { ArithmeticOperator } from "../syntax/tree.ts";
import type { Dialect } from "./dialect.ts";
import { type SqlFragment, sql } from "./fragment.ts";

type Operation = (left: SqlFragment, right: SqlFragment) => SqlFragment;
type Operations = Readonly<Record<ArithmeticOperator, Operation>>;

const quotientOfIntegers: Operation = (a, b) => sql`cadastre_int64(div(${a}::numeric, nullif(${b}, 0)))`;

/** Integer arithmetic, done in decimals, which do not overflow. */
const integers: Operations = {
  add: (a, b) => sql`cadastre_int64(${a}::numeric + ${b})`,
  sub: (a, b) => sql`cadastre_int64(${a}::numeric - ${b})`,
  mul: (a, b) => sql`cadastre_int64(${a}::numeric * ${b})`,
  div: quotientOfIntegers,
  divby: quotientOfIntegers,
  mod: (a, b) => sql`(${a} % nullif(${b}, 0))`,
};

const quotient: Operation = (a, b) => sql`cadastre_quotient(${a}, ${b})`;
const product: Operation = (a, b) => sql`cadastre_product(${a}, ${b})`;

const decimals: Operations = {
  add: (a, b) => sql`cadastre_sum(${a}, ${b})`,
  sub: (a, b) => sql`cadastre_difference(${a}, ${b})`,
  mul: product,
  div: quotient,
  divby: quotient,
  mod: (a, b) => sql`cadastre_remainder(${a}, ${b})`,
};

const doubles: Operations = {
  add: (a, b) => sql`cadastre_sum(${a}, ${b})`,
  sub: (a, b) => sql`cadastre_sum(${a}, -${b})`,
  mul: product,
  div: quotient,
  divby: quotient,
  mod: (a, b) => sql`cadastre_remainder(${a}, ${b})`,
};

/** Converts a factor of a duration: a double becomes the decimal that it is written as. */
const factor = (type: PrimitiveType, operand: SqlFragment): SqlFragment =>
  type === "Edm.Double" ? sql`cadastre_decimal(${operand})` : operand;

export const compileArithmetic: Dialect["arithmetic"] = (operator, [left, right], [a, b]) => {
  switch (left) {
    case "Edm.Int64":
      if (right !== "Edm.Duration") return integers[operator](a, b);
      break;
    case "Edm.Decimal":
      if (right !== "Edm.Duration") return decimals[operator](a, b);
      break;
    case "Edm.Single":
      return sql`cadastre_single(${doubles[operator](a, b)})`;
    case "Edm.Double":
      if (right !== "Edm.Duration") return doubles[operator](a, b);
      break;
    case "Edm.Date":
      if (right === "Edm.Date") return sql`cadastre_difference(${a}, ${b})`;
      return operator === "sub" ? sql`cadastre_sum(${a}, -${b})` : sql`cadastre_sum(${a}, ${b})`;
    case "Edm.DateTimeOffset":
      if (right === "Edm.DateTimeOffset") return sql`(cadastre_instant(${a}) - cadastre_instant(${b}))`;
      return operator === "sub"
        ? sql`cadastre_instant(cadastre_instant(${a}) - ${b})`
        : sql`cadastre_instant(cadastre_instant(${a}) + ${b})`;
    default:
      break;
  }
  if (operator === "add" || operator === "sub") return decimals[operator](a, b);
  const [x, y] = [factor(left, a), factor(right, b)];
  return operator === "mul"
    ? sql`cadastre_whole_product(${x}, ${y})`
    : sql`cadastre_whole_quotient(${x}, ${y})`;
};

export const compileNegate: Dialect["negate"] = (type, operand) =>
  type === "Edm.Int64" ? sql`(-nullif(${operand}, (-9223372036854775808)::bigint))` : sql`(-${operand})`;
