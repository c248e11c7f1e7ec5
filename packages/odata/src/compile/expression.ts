import type { BoundNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { encodings } from "../sql/encoding.ts";
import { join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { gatherItems, itemsOf } from "./items.ts";
import { columnOperand, formOf, type Operand, presentOperand, type Target, toComputed } from "./operand.ts";
import { placeOf, presenceOf } from "./place.ts";

/**
 * Compile an expression to SQL that gives its value, or null.
 *
 * @throws {QueryError} `not_supported` for a path that the mapping does not have.
 */
export function compileOperand(node: BoundNode, target: Target): Operand {
  const { dialect } = target;
  const argument = (child: BoundNode): SqlFragment => toComputed(compileOperand(child, target), target).sql;
  switch (node.kind) {
    case "Constant":
      return computed(constantSql(node, target), node, target, node.value === null);
    case "Property":
      return compileProperty(node, target);
    case "Variable":
      return variableOperand(node, target);
    case "Call": {
      const { entry } = node;
      const args = node.args.map((arg, i) =>
        arg.type === "Null" ? dialect.nothing(entry.params[i] ?? "Edm.String") : argument(arg),
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
      const held = node.flags.map((flag) => dialect.hasFlag(names, value(flag)));
      return computed(sql`(${join(held, " and ")})`, node, target);
    }
    case "Size":
      return computed(compileSize(node, target), node, target, false);
    case "Choice":
      return compileChoice(node, target);
    case "Structure":
      return { sql: presenceOf(node, target), type: node.type, nullable: true, form: "plain", scale: null };
    case "Compare":
    case "Membership":
    case "Logical":
    case "Not":
    case "Lambda":
      return computed(
        sql`(${target.predicate(node, target, "exact")})`,
        node,
        target,
        node.kind !== "Compare",
      );
  }
}

const scalar = (node: BoundNode): PrimitiveType => node.type as PrimitiveType;

function computed(fragment: SqlFragment, { type }: BoundNode, { dialect }: Target, nullable = true): Operand {
  const form = formOf(type, dialect.computed);
  return { sql: fragment, type, nullable, form, scale: form === "scaled" ? 0 : null };
}

function constantSql(
  { value: constant, type }: BoundNode & { kind: "Constant" },
  { dialect }: Target,
): SqlFragment {
  if (type === "Null") return sql`null`;
  if (constant === null) return dialect.nothing(type as ValueType);
  if (Array.isArray(constant)) return dialect.collection(constant, itemType(type) as PrimitiveType);
  const unscaled = { name: "", type: type as PrimitiveType, collection: false, nullable: false };
  const form = formOf(type, dialect.computed);
  return dialect.operand(encodings[form](constant, unscaled).value, unscaled.type, form);
}

/** Collections keep their JSON form: the narrower numbers in it are read as the wider type. */
function compileCast(node: BoundNode & { kind: "Cast" }, target: Target): Operand {
  const operand = toComputed(compileOperand(node.operand, target), target);
  if (itemType(node.type) !== undefined) return { ...operand, type: node.type };
  const cast = target.dialect.cast(scalar(node.operand), node.type as PrimitiveType, operand.sql);
  return computed(cast, node, target);
}

/** A column of the row that the path leads to: null where there is none. */
function compileProperty(node: BoundNode & { kind: "Property" }, target: Target): Operand {
  const { property, base, type } = node;
  if (property.collection) {
    const gathered = gatherItems(node, target);
    if (gathered !== undefined) return gathered;
  }
  const place = base === undefined ? target.place : placeOf(base, target);
  const column = place.members.column(property);
  const read = place.outside(place.read(`${place.prefix}${property.name}`, column.sql));
  const operand = columnOperand(column, read, property, type, target);
  return place.optional ? { ...operand, nullable: true } : operand;
}

function variableOperand({ name, type }: BoundNode & { kind: "Variable" }, target: Target): Operand {
  const variable = target.variables.findLast((candidate) => candidate.name === name);
  return variable?.operand ?? presentOperand(type, target);
}

function compileSize(node: BoundNode & { kind: "Size" }, target: Target): SqlFragment {
  const { inner, select } = itemsOf(node.collection, node.variable.name, target);
  const condition = node.predicate === null ? undefined : target.predicate(node.predicate, inner, "truth");
  return sql`(${select(sql`count(*)`, condition)})`;
}

/** Without `otherwise` the value keeps its form, so that restriction leaves a column a column. */
function compileChoice(node: BoundNode & { kind: "Choice" }, target: Target): Operand {
  const when = target.predicate(node.when, target, "truth");
  const chosen = compileOperand(node.value, target);
  if (node.otherwise === undefined) {
    const empty = itemType(node.type) === undefined ? sql`` : sql` else ${target.dialect.emptyCollection}`;
    return { ...chosen, sql: sql`case when ${when} then ${chosen.sql}${empty} end`, nullable: true };
  }
  const [then, otherwise] = [
    toComputed(chosen, target).sql,
    toComputed(compileOperand(node.otherwise, target), target).sql,
  ];
  return computed(sql`case when ${when} then ${then} else ${otherwise} end`, node, target);
}
