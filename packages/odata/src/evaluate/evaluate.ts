import { searchIn } from "../bound/search.ts";
import type { BoundNode, BoundQuery } from "../bound/tree.ts";
import { compareValues, equalValues } from "../model/compare.ts";
import type { EnumType, StructuralProperty } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { Comparator } from "../syntax/tree.ts";
import { arithmetic, negate } from "./arithmetic.ts";
import { isBounded } from "./bounds.ts";
import { cast, isOf } from "./cast.ts";

/**
 * An entity in its JSON form: property name → JSON value; related entities are objects or arrays of objects. An
 * absent member is null, an absent collection is empty.
 */
export type Row = Readonly<Record<string, unknown>>;

/** Values of the variables of enclosing lambdas. */
type Variables = ReadonlyMap<string, unknown>;

/**
 * Evaluates a bound tree over one row and returns the value in memory form. This is the reference semantics that
 * every dialect must agree with. Logic is three-valued: a boolean expression may be null.
 */
export const evaluate = (node: BoundNode, row: Row): unknown => valueIn(node, row, noVariables);

const noVariables: Variables = new Map();

/** True if the row is part of the result: the filter is true, not null. */
export const matches = (filter: BoundNode, row: Row): boolean => evaluate(filter, row) === true;

/** Compares two rows by `$orderby`; null comes before every value. */
export function compareRows(orderBy: BoundQuery["orderBy"], a: Row, b: Row): number {
  for (const { expression, direction } of orderBy) {
    const order = compareWithNull(evaluate(expression, a), evaluate(expression, b));
    if (order !== 0) return direction === "asc" ? order : -order;
  }
  return 0;
}

function compareWithNull(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compareValues(a, b);
}

function valueIn(node: BoundNode, row: Row, variables: Variables): unknown {
  const value = (child: BoundNode): unknown => valueIn(child, row, variables);
  const comparand = (child: BoundNode): unknown => (child.kind === "Constant" ? child.value : value(child));
  switch (node.kind) {
    case "Constant":
      return node.value === null || isBounded(node.value, node.type) ? node.value : null;
    case "Property":
      return propertyValue(node.property, node.base === undefined ? row : value(node.base));
    case "Structure":
      return structureValue(node.property, node.base === undefined ? row : value(node.base));
    case "Variable":
      return node.name === "$it" ? row : (variables.get(node.name) ?? null);
    case "Call": {
      const args = node.args.map(value);
      return args.includes(null) ? null : node.entry.evaluate(args);
    }
    case "Compare":
      return compare(node.comparator, comparand(node.left), comparand(node.right));
    case "Membership": {
      const operand = comparand(node.operand);
      return node.values.some((item) => equalValues(operand, comparand(item)));
    }
    case "Flags": {
      const operand = value(node.operand);
      if (typeof operand !== "string") return null;
      const set = operand.split(",");
      return node.flags.every(({ value: flag }) => set.includes(String(flag)));
    }
    case "Arithmetic": {
      const [left, right] = [value(node.left), value(node.right)];
      return left === null || right === null ? null : arithmetic(node.operator, node.type, left, right);
    }
    case "Negate": {
      const operand = value(node.operand);
      return operand === null ? null : negate(node.type, operand);
    }
    case "Search":
      return searchIn(node.expression, node.texts.map(value));
    case "Logical":
      return combine(node.operator, node.operands.map(value));
    case "Not": {
      const operand = value(node.operand);
      return operand === null ? null : !operand;
    }
    case "Lambda": {
      if (node.predicate === null)
        return node.operator === "all" || itemsOf(value(node.collection)).length > 0;
      return combine(node.operator === "any" ? "or" : "and", predicateValues(node, row, variables));
    }
    case "Size":
      if (node.predicate === null) return BigInt(itemsOf(value(node.collection)).length);
      return BigInt(predicateValues(node, row, variables).filter((result) => result === true).length);
    case "Choice":
      if (value(node.when) === true) return value(node.value);
      if (node.otherwise !== undefined) return value(node.otherwise);
      return node.type.startsWith("Collection(") ? [] : null;
    case "Cast": {
      const operand = value(node.operand);
      return operand === null ? null : cast(operand, node.operand.type, node.type);
    }
    case "IsOf": {
      const operand = value(node.operand);
      return operand !== null && isOf(operand, node.operand.type, node.of);
    }
  }
}

const itemsOf = (collection: unknown): readonly unknown[] =>
  Array.isArray(collection) ? (collection as readonly unknown[]) : [];

function predicateValues(
  { collection, predicate, variable }: BoundNode & { kind: "Lambda" | "Size" },
  row: Row,
  variables: Variables,
): readonly unknown[] {
  return itemsOf(valueIn(collection, row, variables)).map((item) =>
    predicate === null ? true : valueIn(predicate, row, new Map([...variables, [variable.name, item]])),
  );
}

function propertyValue(property: StructuralProperty, instance: unknown): unknown {
  const json = (instance as Row | null)?.[property.name];
  if (property.collection) return itemsOf(json).map((item) => scalarValue(property, item));
  return scalarValue(property, json);
}

function scalarValue({ type, enumType }: StructuralProperty, json: unknown): unknown {
  if (json === null || json === undefined) return null;
  const value = codecOf(type).fromJson(json) ?? null;
  return enumType?.isFlags === true && typeof value === "string" ? inOrder(value, enumType) : value;
}

/** Sorts the members of a flags value in the order of the type, so that equal sets are equal text. */
function inOrder(text: string, { members }: EnumType): string {
  const set = text.split(",").map((member) => member.trim());
  return members.filter((member) => set.includes(member)).join(",");
}

function structureValue(
  { name, collection }: { name: string; collection: boolean },
  instance: unknown,
): unknown {
  const json = (instance as Row | null)?.[name];
  return collection ? itemsOf(json) : (json ?? null);
}

const ordering = {
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
} satisfies Record<Exclude<Comparator, "eq" | "ne">, (order: number) => boolean>;

/** Evaluates a comparison. Never null. Source: OData 4.01 URL Conventions, section 5.1.1.1. */
function compare(comparator: Comparator, left: unknown, right: unknown): boolean {
  if (comparator === "eq") return equalValues(left, right);
  if (comparator === "ne") return !equalValues(left, right);
  if (left === null || right === null || Number.isNaN(left) || Number.isNaN(right)) return false;
  return ordering[comparator](compareValues(left, right));
}

/**
 * Evaluates `and` or `or` in three-valued logic: for `and`, false takes precedence over null and null over true;
 * for `or`, true over null and null over false.
 */
function combine(operator: "and" | "or", results: readonly unknown[]): boolean | null {
  const winner = operator === "or";
  if (results.includes(winner)) return winner;
  return results.includes(null) ? null : !winner;
}
