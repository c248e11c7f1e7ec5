import type { BoundCallNode, BoundNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import { isBounded } from "../evaluate/bounds.ts";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CompileContext, Operand, RowContext } from "./compile-context.ts";
import { aggregateItems, itemsOf } from "./items.ts";
import type { Column } from "./mapping.ts";
import { columnOperand, encodingOf, presentOperand, toComputedOperand } from "./operand.ts";
import { presenceOf, rowContextOf, unmappedPath } from "./row-context.ts";

/**
 * Compiles an expression to SQL for its value, which may be null.
 *
 * @throws {QueryError} `not_supported` for a path that is not mapped.
 */
export function compileOperand(node: BoundNode, target: CompileContext): Operand {
  const { dialect } = target;
  const argument = (child: BoundNode): SqlFragment =>
    toComputedOperand(compileOperand(child, target), target).sql;
  switch (node.kind) {
    case "Constant":
      return computed(constantSql(node, target), node, target, node.value === null);
    case "Property":
      return compileProperty(node, target);
    case "Variable":
      return variableOperand(node, target);
    case "Call": {
      const stored = storedFold(node, target);
      if (stored !== undefined) return stored;
      const { entry } = node;
      const args = node.args.map((arg, i) =>
        arg.type === "Null" ? dialect.typedNull(entry.params[i] ?? "Edm.String") : argument(arg),
      );
      const call = entry[dialect.name]?.(args) ?? dialect.call(entry.name, entry.params, args);
      return computed(sql`(${call})`, node, target);
    }
    case "Arithmetic": {
      const types = [scalar(node.left), scalar(node.right)] as const;
      const operands = [argument(node.left), argument(node.right)] as const;
      return computed(dialect.arithmetic(node.operator, types, operands), node, target);
    }
    case "Negate":
      return computed(dialect.negate(node.type, argument(node.operand)), node, target);
    case "Cast":
      return compileCast(node, target);
    case "IsOf":
      return computed(
        dialect.isOf(scalar(node.operand), node.of, argument(node.operand)),
        node,
        target,
        false,
      );
    case "Flags": {
      const names = argument(node.operand);
      const held = node.flags.map((flag) =>
        dialect.hasFlag(names, value(target.values.encode(flag, "plain", null).value)),
      );
      return computed(sql`(${join(held, " and ")})`, node, target);
    }
    case "Size":
      return computed(compileSize(node, target), node, target, false);
    case "Choice":
      return compileChoice(node, target);
    case "Structure": {
      const presence = presenceOf(node, target);
      if (presence === undefined) throw unmappedPath(node.property.name);
      return { sql: presence, type: node.type, nullable: true, form: "plain", scale: null };
    }
    case "Compare":
    case "Membership":
    case "Logical":
    case "Not":
    case "Lambda":
    case "Search":
      return computed(
        sql`(${target.predicate(node, target, "exact")})`,
        node,
        target,
        node.kind !== "Compare",
      );
  }
}

const scalar = (node: BoundNode): PrimitiveType => node.type as PrimitiveType;

function computed(
  fragment: SqlFragment,
  { type }: BoundNode,
  { dialect }: CompileContext,
  nullable = true,
): Operand {
  const form = encodingOf(type, dialect.computedEncodings);
  return { sql: fragment, type, nullable, form, scale: form === "scaled" ? 0 : null };
}

function constantSql(
  node: BoundNode & { kind: "Constant" },
  { dialect, values }: CompileContext,
): SqlFragment {
  const { value: constant, type } = node;
  if (type === "Null") return sql`null`;
  const isValue = constant !== null && values.examine([node], ([value]) => isBounded(value, type));
  if (!isValue) return dialect.typedNull(type as ValueType);
  if (Array.isArray(constant)) return dialect.collection(constant, itemType(type) as PrimitiveType);
  const form = encodingOf(type, dialect.computedEncodings);
  return dialect.operand(values.encode(node, form, null).value, type as PrimitiveType, form);
}

/**
 * Compiles a cast. Collections keep their JSON form, because narrower numbers in it can be read as the wider type.
 */
function compileCast(node: BoundNode & { kind: "Cast" }, target: CompileContext): Operand {
  const operand = toComputedOperand(compileOperand(node.operand, target), target);
  if (itemType(node.type) !== undefined) return { ...operand, type: node.type };
  const cast = target.dialect.cast(scalar(node.operand), node.type as PrimitiveType, operand.sql);
  return computed(cast, node, target);
}

/** Compiles a column of the row that the path leads to: null if there is no such row. */
function compileProperty(node: BoundNode & { kind: "Property" }, target: CompileContext): Operand {
  const { property, base } = node;
  if (property.collection) {
    const gathered = aggregateItems(node, target);
    if (gathered !== undefined) return gathered;
  }
  const place = base === undefined ? target.place : rowContextOf(base, target);
  return readFrom(place, property.name, place.members.column(property), node, target);
}

/** Returns the column that holds the folded text of a property, if the mapping has one. */
function storedFold({ entry, args }: BoundCallNode, target: CompileContext): Operand | undefined {
  const [text] = args;
  if (entry.name !== "foldcase" || text?.kind !== "Property") return undefined;
  const { property, base } = text;
  const place = base === undefined ? target.place : rowContextOf(base, target);
  const column = place.members.folded?.(property);
  return column && readFrom(place, `${property.name} folded`, column, text, target);
}

function readFrom(
  place: RowContext,
  key: string,
  column: Column,
  { property, type }: BoundNode & { kind: "Property" },
  target: CompileContext,
): Operand {
  const read = place.outside(place.read(`${place.prefix}${key}`, column.sql));
  const operand = columnOperand(column, read, property, type, target);
  return place.optional ? { ...operand, nullable: true } : operand;
}

function variableOperand({ name, type }: BoundNode & { kind: "Variable" }, target: CompileContext): Operand {
  const variable = target.variables.findLast((candidate) => candidate.name === name);
  return variable?.operand ?? presentOperand(type, target);
}

function compileSize(node: BoundNode & { kind: "Size" }, target: CompileContext): SqlFragment {
  const { inner, select } = itemsOf(node.collection, node.variable.name, target);
  const condition = node.predicate === null ? undefined : target.predicate(node.predicate, inner, "truth");
  return sql`(${select(sql`count(*)`, condition)})`;
}

/**
 * Compiles a conditional. Without `otherwise` the value keeps its form, so that a masked column is still compared
 * like a column.
 */
function compileChoice(node: BoundNode & { kind: "Choice" }, target: CompileContext): Operand {
  const when = target.predicate(node.when, target, "truth");
  const chosen = compileOperand(node.value, target);
  if (node.otherwise === undefined) {
    const empty = itemType(node.type) === undefined ? sql`` : sql` else ${target.dialect.emptyCollection}`;
    return { ...chosen, sql: sql`case when ${when} then ${chosen.sql}${empty} end`, nullable: true };
  }
  // PostgreSQL gives a `case` whose branches are all bare nulls the type text.
  const then =
    node.value.type === "Null" && node.type !== "Null"
      ? target.dialect.typedNull(node.type)
      : toComputedOperand(chosen, target).sql;
  const otherwise = toComputedOperand(compileOperand(node.otherwise, target), target).sql;
  return computed(sql`case when ${when} then ${then} else ${otherwise} end`, node, target);
}
