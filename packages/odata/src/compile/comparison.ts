import type { BoundCompareNode, BoundNode, ConstantNode } from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { Comparator } from "../syntax/tree.ts";
import type { CompileContext, NullMode, Operand } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";
import { encodeFor } from "./operand.ts";
import { compileCodes } from "./row-context.ts";

const mirrored = { eq: "eq", ne: "ne", gt: "lt", ge: "le", lt: "gt", le: "ge" } as const satisfies Record<
  Comparator,
  Comparator
>;

const comparatorSql = {
  eq: (left, right) => sql`${left} = ${right}`,
  ne: (left, right) => sql`${left} <> ${right}`,
  gt: (left, right) => sql`${left} > ${right}`,
  ge: (left, right) => sql`${left} >= ${right}`,
  lt: (left, right) => sql`${left} < ${right}`,
  le: (left, right) => sql`${left} <= ${right}`,
} as const satisfies Record<Comparator, (left: SqlFragment, right: SqlFragment) => SqlFragment>;

/**
 * Compiles a comparison. In mode `exact` the SQL is never null, as in OData; in mode `truth` it may be null instead
 * of false.
 */
export function compileComparison(
  node: BoundCompareNode,
  target: CompileContext,
  mode: NullMode,
): SqlFragment {
  const { left, right, comparator } = node;
  const isNull = left.kind === "Constant" && left.value === null;
  if (right.kind === "Constant" && !isNull) return compareWithConstant(left, comparator, right, target, mode);
  if (left.kind === "Constant") return compareWithConstant(right, mirrored[comparator], left, target, mode);
  const [l, r] = aligned(compileOperand(left, target), compileOperand(right, target), target);
  return compareOperands(l, comparator, r, target, mode);
}

function compareWithConstant(
  node: BoundNode,
  comparator: Comparator,
  constant: ConstantNode,
  target: CompileContext,
  mode: NullMode,
): SqlFragment {
  const { dialect } = target;
  const operand = compileOperand(node, target);
  if (constant.value === null) {
    if (comparator !== "eq" && comparator !== "ne") return dialect.booleanLiteral(false);
    return comparator === "eq" ? sql`${operand.sql} is null` : sql`${operand.sql} is not null`;
  }
  if (Number.isNaN(constant.value)) return dialect.booleanLiteral(comparator === "ne");
  const { value: encoded, exact } = encodeFor(operand, constant, target);
  if (!exact && (comparator === "eq" || comparator === "ne"))
    return dialect.booleanLiteral(comparator === "ne");
  if (encoded === undefined) {
    if (comparator === "lt" || comparator === "le") return dialect.booleanLiteral(false);
    return operand.nullable ? sql`${operand.sql} is not null` : dialect.booleanLiteral(true);
  }
  // An inexact encoded value is the greatest one below the constant; no value lies between the two.
  const adjusted = exact ? comparator : comparator === "gt" || comparator === "ge" ? "gt" : "le";
  const bound = dialect.operand(encoded, node.type as PrimitiveType, operand.form);
  const right = { ...operand, sql: bound, nullable: false };
  const isOrder = adjusted !== "eq" && adjusted !== "ne";
  const coded = isOrder ? undefined : compileCodes(node, { constants: [constant], sql: [bound] }, target);
  if (coded !== undefined) {
    if (mode === "truth" && adjusted === "eq") return coded;
    const known = sql`coalesce(${coded}, ${dialect.booleanLiteral(false)})`;
    return adjusted === "eq" ? known : sql`not ${known}`;
  }
  const left = isOrder ? { ...operand, sql: dialect.ordered(operand.sql, operand.form) } : operand;
  return compareOperands(left, adjusted, right, target, mode);
}

/** Converts two operands to a common form in which order and equality are those of the values. */
function aligned(left: Operand, right: Operand, { dialect }: CompileContext): readonly [Operand, Operand] {
  if (left.form === right.form && left.scale === right.scale) {
    return [
      { ...left, sql: dialect.ordered(left.sql, left.form) },
      { ...right, sql: dialect.ordered(right.sql, right.form) },
    ];
  }
  return [
    { ...left, sql: dialect.align(left, right) },
    { ...right, sql: dialect.align(right, left) },
  ];
}

function compareOperands(
  left: Operand,
  comparator: Comparator,
  right: Operand,
  { dialect }: CompileContext,
  mode: NullMode,
): SqlFragment {
  const plain = sql`${comparatorSql[comparator](left.sql, right.sql)}`;
  if (!left.nullable && !right.nullable) return plain;
  if (comparator === "ne") return dialect.isOther(left.sql, right.sql);
  if (comparator === "eq" && left.nullable && right.nullable) return dialect.isSame(left.sql, right.sql);
  if (mode === "truth") return plain;
  return sql`coalesce(${plain}, ${dialect.booleanLiteral(false)})`;
}
