import type {
  BoundCallNode,
  BoundCompareNode,
  BoundLambdaNode,
  BoundLogicalNode,
  BoundNode,
  MembershipNode,
} from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import { compileComparison } from "./comparison.ts";
import type { CompileContext, NullMode } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";
import { inList, joinBalanced } from "./in-list.ts";
import { itemsOf } from "./items.ts";
import { encodeFor } from "./operand.ts";
import { withPointIndex } from "./point-prefilter.ts";
import { compilePrefix } from "./prefix.ts";
import { compileCodes } from "./row-context.ts";
import { compileSearch } from "./search.ts";
import { withTextIndex } from "./text-prefilter.ts";
import { unwrapMasks } from "./unwrap-masks.ts";

/** Compiles a boolean expression to an SQL condition, which can be embedded in a larger one without parentheses. */
export function compilePredicate(given: BoundNode, target: CompileContext, mode: NullMode): SqlFragment {
  const node = mode === "truth" ? unwrapMasks(given) : given;
  const indexed = (one: BoundCallNode | BoundCompareNode, exact: SqlFragment) =>
    mode === "truth" ? withTextIndex(one, withPointIndex(one, exact, target), target) : exact;
  switch (node.kind) {
    case "Constant":
      return node.value === null ? sql`null` : target.dialect.booleanLiteral(node.value === true);
    case "Compare":
      return indexed(node, compileComparison(node, target, mode));
    case "Membership":
      return compileMembership(node, target, mode);
    case "Logical":
      return compileLogical(node, target, mode);
    case "Not":
      return sql`not ${compilePredicate(node.operand, target, "exact")}`;
    case "Lambda":
      return compileLambda(node, target, mode);
    case "Search":
      return compileSearch(node, target);
    case "Call":
      return indexed(node, compilePrefix(node, target) ?? sql`(${compileOperand(node, target).sql})`);
    case "Property":
    case "Structure":
    case "Variable":
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

function compileLogical(node: BoundLogicalNode, target: CompileContext, mode: NullMode): SqlFragment {
  const operands = node.operands.map((operand) => compilePredicate(operand, target, mode));
  return joinBalanced(operands, node.operator) ?? target.dialect.booleanLiteral(node.operator === "and");
}

function compileMembership(node: MembershipNode, target: CompileContext, mode: NullMode): SqlFragment {
  const { dialect } = target;
  const operand = compileOperand(node.operand, target);
  const encoded = node.values
    .filter((item) => item.kind === "Constant")
    .filter(({ value }) => value !== null && !Number.isNaN(value))
    .map((constant) => ({ constant, ...encodeFor(operand, constant, target) }))
    .filter(({ exact }) => exact);
  const listed = {
    constants: encoded.map(({ constant }) => constant),
    sql: encoded.map(({ value }) => dialect.operand(value, node.operand.type as PrimitiveType, operand.form)),
  };
  const others = node.values
    .filter((item) => item.kind !== "Constant" || item.value === null)
    .map((right) =>
      compilePredicate(
        { kind: "Compare", type: "Edm.Boolean", comparator: "eq", left: node.operand, right },
        target,
        mode,
      ),
    );
  const isListed = compileCodes(node.operand, listed, target) ?? inList(operand.sql, listed.sql, target);
  const exact =
    mode === "exact" && operand.nullable
      ? sql`coalesce(${isListed}, ${dialect.booleanLiteral(false)})`
      : isListed;
  return (
    joinBalanced(encoded.length === 0 ? others : [exact, ...others], "or") ?? dialect.booleanLiteral(false)
  );
}

function compileLambda(node: BoundLambdaNode, target: CompileContext, mode: NullMode): SqlFragment {
  const { dialect } = target;
  const { inner, select } = itemsOf(node.collection, node.variable.name, target);
  const exists = (condition?: SqlFragment) => sql`exists (${select(sql`1`, condition)})`;
  if (node.predicate === null) return node.operator === "all" ? dialect.booleanLiteral(true) : exists();

  const isTrue = compilePredicate(node.predicate, inner, "truth");
  const exactly = compilePredicate(node.predicate, inner, "exact");
  const someTrue = exists(isTrue);
  const someFalse = exists(sql`not ${exactly}`);
  const someNull = exists(sql`(${exactly}) is null`);
  const [yes, no] = [dialect.booleanLiteral(true), dialect.booleanLiteral(false)];
  if (node.operator === "any") {
    if (mode === "truth") return someTrue;
    return sql`case when ${someTrue} then ${yes} when ${someNull} then null else ${no} end`;
  }
  if (mode === "truth") return sql`not (${someFalse} or ${someNull})`;
  return sql`case when ${someFalse} then ${no} when ${someNull} then null else ${yes} end`;
}
