import type {
  BoundCompareNode,
  BoundLambdaNode,
  BoundLogicalNode,
  BoundNode,
  MembershipNode,
} from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { Comparator } from "../syntax/tree.ts";
import { compileOperand, type Mode, type Operand, type Target } from "./operand.ts";

/** Compile a boolean expression to an SQL condition. The result is safe to embed in a larger one. */
export function compilePredicate(node: BoundNode, target: Target, mode: Mode): SqlFragment {
  switch (node.kind) {
    case "Constant":
      return node.value === null ? sql`null` : target.dialect.truth(node.value === true);
    case "Compare":
      return compileCompare(node, target, mode);
    case "Membership":
      return compileMembership(node, target, mode);
    case "Logical":
      return compileLogical(node, target, mode);
    case "Not":
      return sql`not ${compilePredicate(node.operand, target, "exact")}`;
    case "Lambda":
      return compileLambda(node, target, mode);
    case "Property":
    case "Structure":
    case "Variable":
    case "Call":
    case "Choice":
    case "Size":
    case "Arithmetic":
    case "Negate":
    case "Cast":
    case "IsOf":
    case "Flags":
      return sql`(${compileOperand(node, target).sql})`;
  }
}

function compileLogical(node: BoundLogicalNode, target: Target, mode: Mode): SqlFragment {
  const operands = node.operands.map((operand) => compilePredicate(operand, target, mode));
  return balanced(operands, node.operator) ?? target.dialect.truth(node.operator === "and");
}

/** `((a or b) or (c or d))`: SQLite refuses trees deeper than 1,000, and a chain is as deep as it is long. */
function balanced(operands: readonly SqlFragment[], operator: "and" | "or"): SqlFragment | undefined {
  if (operands.length <= 8)
    return operands.length === 0 ? undefined : sql`(${join(operands, ` ${operator} `)})`;
  const middle = Math.ceil(operands.length / 2);
  const halves = [operands.slice(0, middle), operands.slice(middle)].flatMap(
    (half) => balanced(half, operator) ?? [],
  );
  return sql`(${join(halves, ` ${operator} `)})`;
}

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

function compileCompare(node: BoundCompareNode, target: Target, mode: Mode): SqlFragment {
  const { left, right, comparator } = node;
  const isNull = left.kind === "Constant" && left.value === null;
  if (right.kind === "Constant" && !isNull)
    return compareWithConstant(left, comparator, right.value, target, mode);
  if (left.kind === "Constant")
    return compareWithConstant(right, mirrored[comparator], left.value, target, mode);
  const [l, r] = aligned(compileOperand(left, target), compileOperand(right, target));
  return compareOperands(l, comparator, r, target, mode);
}

function compareWithConstant(
  node: BoundNode,
  comparator: Comparator,
  constant: unknown,
  target: Target,
  mode: Mode,
): SqlFragment {
  const { dialect } = target;
  const operand = compileOperand(node, target);
  if (constant === null) {
    if (comparator !== "eq" && comparator !== "ne") return dialect.truth(false);
    return comparator === "eq" ? sql`${operand.sql} is null` : sql`${operand.sql} is not null`;
  }
  if (Number.isNaN(constant)) return dialect.truth(comparator === "ne");
  const { value: encoded, exact } = encode(operand, constant);
  if (!exact && (comparator === "eq" || comparator === "ne")) return dialect.truth(comparator === "ne");
  // The encoded value is the greatest below the constant: nothing lies between the two.
  const sharp = exact ? comparator : comparator === "gt" || comparator === "ge" ? "gt" : "le";
  const right = { ...operand, sql: dialect.operand(encoded, typeOf(node)), nullable: false };
  return compareOperands(operand, sharp, right, target, mode);
}

const encode = ({ encoding, property }: Operand, value: unknown) =>
  encoding(value, property ?? { name: "", type: "Edm.String", collection: false, nullable: true });

const typeOf = (node: BoundNode): PrimitiveType => node.type as PrimitiveType;

/** Two scaled integers are compared at the larger scale; one beside a double becomes the nearest double. */
function aligned(left: Operand, right: Operand): readonly [Operand, Operand] {
  if (left.scale === right.scale) return [left, right];
  if (left.scale === null) return [left, unscaled(right)];
  if (right.scale === null) return [unscaled(left), right];
  const digits = left.scale - right.scale;
  return digits < 0 ? [scaledBy(left, -digits), right] : [left, scaledBy(right, digits)];
}

const scaledBy = (operand: Operand, digits: number): Operand => ({
  ...operand,
  sql: sql`(${operand.sql} * ${value(10n ** BigInt(digits))})`,
});

const unscaled = (operand: Operand): Operand => ({
  ...operand,
  sql: sql`(${operand.sql} / ${value(10 ** (operand.scale ?? 0))})`,
});

function compareOperands(
  left: Operand,
  comparator: Comparator,
  right: Operand,
  { dialect }: Target,
  mode: Mode,
): SqlFragment {
  const plain = sql`${comparatorSql[comparator](left.sql, right.sql)}`;
  if (!left.nullable && !right.nullable) return plain;
  if (comparator === "ne") return dialect.isOther(left.sql, right.sql);
  if (comparator === "eq" && left.nullable && right.nullable) return dialect.isSame(left.sql, right.sql);
  if (mode === "truth") return plain;
  return sql`coalesce(${plain}, ${dialect.truth(false)})`;
}

function compileMembership(node: MembershipNode, target: Target, mode: Mode): SqlFragment {
  const { dialect } = target;
  const operand = compileOperand(node.operand, target);
  const encoded = node.values
    .filter((item) => item.kind === "Constant" && item.value !== null && !Number.isNaN(item.value))
    .map((item) => encode(operand, item.kind === "Constant" ? item.value : null))
    .filter(({ exact }) => exact)
    .map((item) => dialect.operand(item.value, typeOf(node.operand)));
  const others = node.values
    .filter((item) => item.kind !== "Constant" || item.value === null)
    .map((right) =>
      compilePredicate(
        { kind: "Compare", type: "Edm.Boolean", comparator: "eq", left: node.operand, right },
        target,
        mode,
      ),
    );
  const listed = sql`${operand.sql} in (${join(encoded, ", ")})`;
  const exact =
    mode === "exact" && operand.nullable ? sql`coalesce(${listed}, ${dialect.truth(false)})` : listed;
  return balanced(encoded.length === 0 ? others : [exact, ...others], "or") ?? dialect.truth(false);
}

function compileLambda(node: BoundLambdaNode, target: Target, mode: Mode): SqlFragment {
  const { dialect } = target;
  const alias = identifier(node.variable.name);
  const collection = compileOperand(node.collection, target);
  const items = sql`select 1 from ${dialect.items(collection.sql, alias)}`;
  if (node.predicate === null) return node.operator === "all" ? dialect.truth(true) : sql`exists (${items})`;

  const isTrue = compilePredicate(node.predicate, target, "truth");
  const exactly = compilePredicate(node.predicate, target, "exact");
  const someTrue = sql`exists (${items} where ${isTrue})`;
  const someFalse = sql`exists (${items} where not ${exactly})`;
  const someNull = sql`exists (${items} where ${exactly} is null)`;
  const [yes, no] = [dialect.truth(true), dialect.truth(false)];
  if (node.operator === "any") {
    if (mode === "truth") return someTrue;
    return sql`case when ${someTrue} then ${yes} when ${someNull} then null else ${no} end`;
  }
  if (mode === "truth") return sql`not (${someFalse} or ${someNull})`;
  return sql`case when ${someFalse} then ${no} when ${someNull} then null else ${yes} end`;
}
