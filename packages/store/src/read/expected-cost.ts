import { type RestrictedQuery, scopeOf } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { conjuncts } from "@cadastre/odata/tree";
import type { TableSchema } from "../schema/table.ts";
import {
  isInArea,
  isInOrderOf,
  isInTexts,
  leadingColumn,
  pinsKey,
  readsPoints,
  shownProperty,
} from "./access.ts";

/**
 * Expected cost of a query, by its structure and the indexes of its table, whatever the table contains:
 *
 * - `bounded`: the key finds the only record.
 * - `unbounded`: no index finds the rows of the query's own conditions, and it counts, sorts, or evaluates for each row more than comparisons
 *   of columns. `contains(PublicRemarks,'pool')` reads the text of all records.
 * - `unknown`: an index finds the rows or has them in order, but perhaps many of them.
 */
export type ExpectedCost = "bounded" | "unknown" | "unbounded";

/** The parts of an answer that a query is asked for. */
export type AnswerParts = {
  readonly page?: boolean | undefined;
  readonly count?: boolean | undefined;
  /** True if only changes between two checkpoints are read. An index finds them. */
  readonly changes?: boolean | undefined;
};

export function expectedCost(
  query: RestrictedQuery,
  table: TableSchema,
  { page = false, count = false, changes = false }: AnswerParts,
): ExpectedCost {
  if (pinsKey(query)) return "bounded";
  // Every query has the conditions of its scope. Indexes are made for them, and a customer cannot choose them.
  const own = conjuncts(query.filter).filter((condition) => !conditionsOfScope(query).has(condition));
  if (changes || own.some((condition) => isServed(condition, table))) return "unknown";
  const isScan = count || (page && !isInOrder(query, table));
  return isScan || !own.every((condition) => comparesColumns(condition, table)) ? "unbounded" : "unknown";
}

const scopes = new WeakMap<BoundNode, ReadonlySet<BoundNode>>();

/** Returns the conditions that `restrict` has added to the query. */
function conditionsOfScope(query: RestrictedQuery): ReadonlySet<BoundNode> {
  const rows = scopeOf(query)?.rows(query.entitySet.name);
  if (rows === undefined) return new Set();
  const conditions = scopes.get(rows) ?? new Set(conjuncts(rows));
  scopes.set(rows, conditions);
  return conditions;
}

/** True if an index finds the rows that meet the condition. */
function isServed(condition: BoundNode, table: TableSchema): boolean {
  switch (condition.kind) {
    case "Constant":
      // A condition without a row, such as that of a resource that is not granted.
      return condition.value !== true;
    case "Compare": {
      const { comparator, left, right } = condition;
      const isBound =
        (isIndexed(left, table) && isConstant(right)) || (isIndexed(right, table) && isConstant(left));
      return (
        (isBound && comparator !== "ne") ||
        isInArea(condition, table.points) ||
        isInTexts(condition, table.texts)
      );
    }
    case "Membership":
      return isIndexed(condition.operand, table) && condition.values.every(isConstant);
    case "Call": {
      const [text, start] = condition.args;
      const isPrefix = condition.entry.name === "startswith" && start !== undefined && isConstant(start);
      return (
        (isPrefix && text !== undefined && isIndexed(text, table)) ||
        isInArea(condition, table.points) ||
        isInTexts(condition, table.texts)
      );
    }
    case "Logical":
      return condition.operator === "and"
        ? condition.operands.some((operand) => isServed(operand, table))
        : condition.operands.every((operand) => isServed(operand, table));
    default:
      return false;
  }
}

/** True for a constant, and for one that is compared without regard to case. Not for the empty text, with which every text starts. */
const isConstant = (node: BoundNode): boolean =>
  node.kind === "Call" ? node.args.every(isConstant) : node.kind === "Constant" && node.value !== "";

/** True if an index begins with the value, perhaps after the dataset. */
function isIndexed(value: BoundNode, { key, indexes, folded }: TableSchema): boolean {
  const [text] = value.kind === "Call" && value.entry.name === "foldcase" ? value.args : [];
  const name = shownProperty(text ?? value);
  if (name === undefined) return false;
  const isLeading = text === undefined && key[0]?.name === name;
  return (
    isLeading || (text === undefined ? indexes : folded).some((index) => leadingColumn(index)?.name === name)
  );
}

/** True if an index has the rows in the query's order. */
function isInOrder(query: BoundQuery, { name, key, indexes, points }: TableSchema): boolean {
  const expression = query.orderBy[0]?.expression;
  if (expression?.kind === "Call") return readsPoints(expression, points);
  return [...indexes, { name: `${name}_key`, columns: key }].some((index) => isInOrderOf(index, query));
}

/** True if the condition only compares columns and constants. */
function comparesColumns(condition: BoundNode, table: TableSchema): boolean {
  const all = (...nodes: readonly BoundNode[]) => nodes.every((node) => comparesColumns(node, table));
  switch (condition.kind) {
    case "Constant":
      return true;
    case "Property":
      return (
        condition.base === undefined && table.columns.some(({ name }) => name === condition.property.name)
      );
    case "Compare":
      return all(condition.left, condition.right);
    case "Membership":
      return all(condition.operand, ...condition.values);
    case "Logical":
      return all(...condition.operands);
    case "Not":
      return all(condition.operand);
    case "Choice": {
      const { when, value, otherwise } = condition;
      return all(when, value, ...(otherwise === undefined ? [] : [otherwise]));
    }
    default:
      return false;
  }
}
