import type { BoundNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import { identifier, type SqlFragment, sql } from "../sql/fragment.ts";
import { aliasOf, type CompileContext, type Operand, withVariable } from "./compile-context.ts";
import { jsonAtPath, jsonMembers } from "./json-members.ts";
import type { Path } from "./mapping.ts";
import { columnOperand, presentOperand } from "./operand.ts";
import { currentRow, joinedTo, pathOf, rowContextOf, rowsOf, unmappedPath } from "./row-context.ts";

/** A collection compiled to rows, one per item. */
export type Items = {
  /** Scope in which expressions over an item are compiled. */
  readonly inner: CompileContext;
  /**
   * Returns `select what` over the items that satisfy the condition. Call it last: only then is it known which
   * columns the other expressions read.
   */
  readonly select: (what: SqlFragment, condition?: SqlFragment) => SqlFragment;
};

/** Compiles the items of `collection`, each bound to `variable`. */
export function itemsOf(collection: BoundNode, variable: string, target: CompileContext): Items {
  if (collection.kind === "Structure") return relatedItems(collection, variable, target);
  if (collection.kind === "Property") {
    const table = itemTableOf(collection, target);
    if (table !== undefined) {
      const { operand, select } = tableItems(collection, table, target);
      return { inner: withVariable(target, { name: variable, operand }), select };
    }
  }
  return arrayItems(collection, variable, target);
}

function relatedItems(
  collection: BoundNode & { kind: "Structure" },
  variable: string,
  target: CompileContext,
): Items {
  const { base, property, type } = collection;
  const depth = target.variables.length;
  const parent = rowContextOf(base, target, depth + 1);
  const path = pathOf(property, parent);
  if (path.kind === "members") throw unmappedPath(property.name);
  if (path.kind === "json") {
    const json = jsonAtPath(path, target.dialect);
    const array = parent.outside(parent.read(parent.prefix + property.name, json));
    return objectItems(array, variable, collection, target);
  }
  const mapping = path.mapping();
  const rows = rowsOf(mapping, aliasOf(depth));
  const related = joinedTo(parent, rows, property.name, path.on);
  const place = currentRow(mapping, rows.read);
  return {
    inner: withVariable(target, { name: variable, operand: presentOperand(type, target), place }),
    select: selecting(rows.source, related),
  };
}

/** Compiles the objects of a JSON array as items. */
function objectItems(
  array: SqlFragment,
  name: string,
  { type }: BoundNode & { kind: "Structure" },
  target: CompileContext,
): Items {
  const { dialect } = target;
  const alias = identifier(aliasOf(target.variables.length));
  const items = dialect.items(array, alias);
  const json = dialect.itemJson(alias);
  const members = jsonMembers({ kind: "json", json }, dialect);
  const place = currentRow(members, (_key, column) => column);
  const operand = { ...presentOperand(type, target), sql: dialect.nullIfJsonNull(json) };
  return { inner: withVariable(target, { name, operand, place }), select: selecting(() => items) };
}

type ItemTable = Extract<Path, { readonly kind: "items" }>;
type Collection = BoundNode & { kind: "Property" };

function itemTableOf({ property, base }: Collection, target: CompileContext): ItemTable | undefined {
  const { members } = base === undefined ? target.place : rowContextOf(base, target);
  const path = members.path?.(property);
  return path?.kind === "items" ? path : undefined;
}

/** Compiles the items of a collection that has a table of its own. */
function tableItems({ property, base, type }: Collection, table: ItemTable, target: CompileContext) {
  const depth = target.variables.length;
  const rows = rowsOf(table, aliasOf(depth));
  const related = joinedTo(rowContextOf(base, target, depth + 1), rows, property.name, table.on);
  const read = rows.read("item", table.item.sql);
  const operand = columnOperand(table.item, read, property, itemType(type) as PrimitiveType, target);
  return { rows, operand: { ...operand, nullable: true }, select: selecting(rows.source, related) };
}

function arrayItems(collection: BoundNode, variable: string, target: CompileContext): Items {
  const { dialect } = target;
  const alias = identifier(aliasOf(target.variables.length));
  const items = dialect.items(target.operand(collection, target).sql, alias);
  const type = itemType(collection.type) as PrimitiveType;
  const form = dialect.itemEncodings[type];
  const operand: Operand = {
    sql: dialect.item(alias, type),
    type,
    nullable: true,
    form,
    scale: form === "scaled" ? 0 : null,
  };
  return { inner: withVariable(target, { name: variable, operand }), select: selecting(() => items) };
}

const selecting =
  (source: () => SqlFragment, related?: SqlFragment): Items["select"] =>
  (what, condition) => {
    const rows = sql`select ${what} from ${source()}`;
    if (related === undefined) return condition === undefined ? rows : sql`${rows} where ${condition}`;
    return condition === undefined
      ? sql`${rows} where ${related}`
      : sql`${rows} where ${related} and ${condition}`;
  };

/** Types whose column form is the same as the form of an item in JSON, in every database. */
const aggregatableTypes: readonly string[] = [
  "Edm.String",
  "Edm.Guid",
  "Edm.Date",
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Decimal",
] satisfies readonly PrimitiveType[];

/**
 * Aggregates a collection that is a table into the JSON array that functions take; undefined if the collection
 * already is an array.
 *
 * @throws {QueryError} `not_supported` for items whose column form differs from their JSON form.
 */
export function aggregateItems(node: Collection, target: CompileContext): Operand | undefined {
  const table = itemTableOf(node, target);
  if (table === undefined) return undefined;
  const { property } = node;
  if (!aggregatableTypes.includes(property.type) || table.item.encoding !== undefined) {
    throw new QueryError("not_supported", null, { feature: `a function over \`${property.name}\`` });
  }
  const { rows, operand, select } = tableItems(node, table, target);
  const order = table.order && rows.read("order", table.order);
  const array = select(target.dialect.aggregateJson(operand.sql, order));
  return {
    sql: sql`(${array})`,
    type: node.type,
    nullable: false,
    form: "plain",
    scale: null,
  };
}
