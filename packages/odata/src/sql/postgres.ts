import Big from "big.js";
import type { PrimitiveType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { Dialect } from "./dialect.ts";
import { identifier, join, type SqlFragment, sql, value } from "./fragment.ts";
import { compileCast, compileIsOf, itemOf } from "./postgres-cast.ts";
import {
  align,
  columns,
  compileToComputed,
  compileTypedNull,
  computed,
  givenRows,
  operand,
  ordered,
} from "./postgres-forms.ts";
import { compileArithmetic, compileNegate } from "./postgres-operations.ts";

/** Text that UTF-8 cannot encode: the driver replaces it in text, whereas JSON would keep it as an escape. */
const loneSurrogates = /\p{Surrogate}/gu;

/** Writes an item as JSON, with every digit of a number. */
function jsonOf(item: unknown, type: PrimitiveType): string {
  if (item === null) return "null";
  if (item instanceof Big) return item.toString();
  const json = codecOf(type).toJson(item);
  if (typeof json === "bigint") return String(json);
  return typeof json === "string"
    ? JSON.stringify(json.replaceAll(loneSurrogates, "\ufffd"))
    : JSON.stringify(json);
}

const itemJson = (alias: SqlFragment): SqlFragment => sql`${alias}."an item"`;

const memberOf: Dialect["memberJson"] = (object, path) =>
  path.reduce((json, name) => sql`(${json} -> ${value(name)}::text)`, object);

/**
 * Dialect of PostgreSQL 15 or later. Connections need the functions and settings of `@cadastre/odata/postgres`.
 * Text columns must have deterministic collations; decimal and double columns must not contain NaN.
 */
export const postgres: Dialect = {
  name: "postgres",
  placeholder: (position) => `$${position}`,
  limit: (count) => sql`limit ${count}`,
  merged: (rows, order, limit) => sql`(${rows} order by ${order} ${limit})`,
  columnEncodings: columns,
  computedEncodings: computed,
  toComputed: compileToComputed,
  operand,
  typedNull: compileTypedNull,
  align,
  ordered,
  // The text of a single differs from that of the double with the same value.
  toCursor: (given, form) => (form === "double" ? sql`(${given})::float8::text` : sql`(${given})::text`),
  collection: (values, type) => sql`${value(`[${values.map((one) => jsonOf(one, type)).join()}]`)}::jsonb`,
  booleanLiteral: (v) => (v ? sql`true` : sql`false`),
  isSame: (left, right) => sql`(${left} is not distinct from ${right})`,
  isOther: (left, right) => sql`(${left} is distinct from ${right})`,
  call: (name, _types, args) => sql`${identifier(`cadastre_${name}`)}(${join(args, ", ")})`,
  arithmetic: compileArithmetic,
  negate: compileNegate,
  cast: compileCast,
  isOf: compileIsOf,
  hasFlag: (names, name) => sql`strpos(',' || ${names} || ',', ',' || ${name}::text || ',') > 0`,
  items: (array, alias) => sql`cadastre_elements(${array}) as ${alias}("an item")`,
  item: (alias, type) => itemOf(itemJson(alias), type),
  itemJson,
  member: (object, path, type) => itemOf(memberOf(object, path), type),
  memberJson: memberOf,
  nullIfJsonNull: (json) => sql`nullif(${json}, 'null'::jsonb)`,
  valuesTable: givenRows,
  itemEncodings: computed,
  emptyCollection: sql`'[]'::jsonb`,
  aggregateJson: (item, order) =>
    sql`coalesce(jsonb_agg(${item}${order === undefined ? sql`` : sql` order by ${order}`}), '[]')`,
  // `nulls first` on a column without nulls would keep the index of a primary key from serving the order.
  ascending: (expression, nullable) =>
    nullable ? sql`${expression} asc nulls first` : sql`${expression} asc`,
  descending: (expression, nullable) =>
    nullable ? sql`${expression} desc nulls last` : sql`${expression} desc`,
};
