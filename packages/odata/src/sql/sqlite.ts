import Big from "big.js";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { Dialect, SqlValue } from "./dialect.ts";
import type { EncodingName } from "./encoding.ts";
import { identifier, join, render, type SqlFragment, sql, value } from "./fragment.ts";
import { shapeForms } from "./shape-forms.ts";

/** Default encodings of columns: the JSON forms, but 0 and 1 for booleans. */
const columns = {
  "Edm.String": "plain",
  "Edm.Boolean": "bit",
  "Edm.Byte": "scaled",
  "Edm.SByte": "scaled",
  "Edm.Int16": "scaled",
  "Edm.Int32": "scaled",
  "Edm.Int64": "scaled",
  "Edm.Decimal": "double",
  "Edm.Single": "double",
  "Edm.Double": "double",
  "Edm.Date": "dateText",
  "Edm.DateTimeOffset": "timestampText",
  "Edm.TimeOfDay": "timeText",
  "Edm.Duration": "sortableText",
  "Edm.Guid": "plain",
  "Edm.Binary": "plain",
  ...shapeForms,
} as const satisfies Dialect["columnEncodings"];

/** Returns the JSON form of an item. Numbers that a JSON number in ECMAScript cannot hold exactly become strings. */
export function jsonItem(one: unknown, type: PrimitiveType): unknown {
  if (one instanceof Big) {
    const nearest = one.toNumber();
    return Number.isFinite(nearest) && one.eq(nearest) ? nearest : one.toString();
  }
  const json = one === null ? null : codecOf(type).toJson(one);
  return typeof json === "bigint" ? String(json) : json;
}

/**
 * Returns the name of a function that `registerFunctions` of `@cadastre/odata/sqlite` registers, such as
 * `odata_length_string`.
 */
export const userFunctionName = (name: string, types: readonly ValueType[]): string =>
  ["odata", name, ...types]
    .join("_")
    .replaceAll(/Collection\((.*?)\)/g, "$1s")
    .replaceAll("Edm.", "")
    .replaceAll(".", "_")
    .toLowerCase();

const call = (name: string, types: readonly ValueType[], args: readonly SqlFragment[]): SqlFragment =>
  sql`${identifier(userFunctionName(name, types))}(${join(args, ", ")})`;

/** Text of an instant that is stored in another form. */
const instantTexts: Partial<Record<EncodingName, (column: SqlFragment) => SqlFragment>> = {
  timestampText: (column) => column,
  secondsText: (column) => column,
  seconds: (column) => sql`strftime('%Y-%m-%dT%H:%M:%SZ', ${column}, 'unixepoch')`,
  // A number of seconds with a fraction would be a double.
  milliseconds: (column) =>
    sql`(strftime('%Y-%m-%dT%H:%M:%S', (${column} - ((${column} % 1000) + 1000) % 1000) / 1000, 'unixepoch') || printf('.%03dZ', ((${column} % 1000) + 1000) % 1000))`,
};

const toComputed: Dialect["toComputed"] = (column, form, scale) => {
  const text = instantTexts[form]?.(column);
  if (text !== undefined) return call("instant", [], [text]);
  return call("number", [], scale === null ? [column] : [column, value(scale)]);
};

/** Returns the double nearest to a scaled integer, that is, the one with the same shortest digits. */
const asDouble = (integer: SqlFragment, scale: number): SqlFragment =>
  scale === 0 ? integer : sql`(${integer} / ${value(10 ** scale)})`;

/**
 * Aligns operands of different forms. Integers and doubles are compared directly, sortable text with sortable text.
 */
function align({ sql: operand, form, scale }: SqlValue, other: SqlValue): SqlFragment {
  if (scale !== null && other.scale !== null) {
    const digits = other.scale - scale;
    return digits > 0 ? sql`(${operand} * ${value(10n ** BigInt(digits))})` : operand;
  }
  if (other.form === "double" && scale !== null) return asDouble(operand, scale);
  if (form === "double" && other.scale !== null) return operand;
  return form === "sortableText" || form === "instantText" || form === other.form
    ? operand
    : toComputed(operand, form, scale);
}

/** Reads from JSON if it is valid; otherwise null, because invalid JSON would raise an error. */
const inJson = (json: SqlFragment, read: SqlFragment = json): SqlFragment =>
  sql`case when json_valid(${json}) then ${read} end`;

/** Columns of `json_each`. They would shadow columns of the same name in its argument. */
const ownColumns = /\b(?:key|value|type|atom|id|parent|fullkey|path|json|root|rowid)\b/i;

/**
 * Returns the items of an array as a subquery with a single column, named like the alias. The other columns of
 * `json_each` would shadow those of the table.
 */
function items(array: SqlFragment, alias: SqlFragment): SqlFragment {
  const given = identifier("an array");
  const each = ownColumns.test(render(array, () => "?").text)
    ? sql`(select ${array} as ${given}), json_each(${inJson(given)})`
    : sql`json_each(${inJson(array)})`;
  // Only the items of an array have an integer key.
  return sql`(select value as ${alias} from ${each} where typeof(key) = 'integer') as ${alias}`;
}

const itemOf = (alias: SqlFragment): SqlFragment => sql`${alias}.${alias}`;

const placeOf = (path: readonly string[]): SqlFragment =>
  value(`$${path.map((name) => `."${name}"`).join("")}`);

/**
 * Dialect of SQLite 3.38 or later (because of `->>`; 3.44 for collections that are tables with an order).
 * Connections need the functions of `@cadastre/odata/sqlite`.
 */
export const sqlite: Dialect = {
  name: "sqlite",
  placeholder: () => "?",
  // The `+` keeps SQLite from preparing the statement anew at each run: it would inspect the value of a bare
  // parameter.
  limit: (count) => sql`limit +${count}`,
  merged: (rows) => rows,
  columnEncodings: columns,
  computedEncodings: { ...columns, "Edm.Decimal": "sortableText", "Edm.DateTimeOffset": "instantText" },
  toComputed,
  operand: (encoded) => value(encoded),
  typedNull: () => sql`null`,
  align,
  ordered: (operand) => operand,
  toCursor: (operand) => operand,
  collection: (values, item) => value(JSON.stringify(values.map((one) => jsonItem(one, item)))),
  booleanLiteral: (v) => (v ? sql`1` : sql`0`),
  isSame: (left, right) => sql`${left} is ${right}`,
  isOther: (left, right) => sql`${left} is not ${right}`,
  call,
  arithmetic: (operator, types, operands) => call(operator, types, operands),
  negate: (type, operand) => call("negate", [type], [operand]),
  cast: (from, to, operand) => call("cast", [from, to], [operand]),
  isOf: (type, of, operand) => call("isof", [type, of], [operand]),
  hasFlag: (names, name) => sql`instr(',' || ${names} || ',', ',' || ${name} || ',') > 0`,
  items,
  item: itemOf,
  itemJson: itemOf,
  member: (object, path) => inJson(object, sql`json_extract(${object}, ${placeOf(path)})`),
  memberJson: (object, path) => inJson(object, sql`${object} -> ${placeOf(path)}`),
  nullIfJsonNull: (json) => sql`nullif(${json}, 'null')`,
  // The path is bound as text: a number would be bound as a double, which is not an array index.
  valuesTable: (arrays, given, place, alias) => {
    const items = given.map(({ name }, i) => sql`json_extract(value, ${value(`$[${i}]`)}) as ${name}`);
    return sql`(select ${join([sql`key as ${place}`, ...items], ", ")} from json_each(${value(arrays)})) as ${alias}`;
  },
  itemEncodings: columns,
  emptyCollection: sql`'[]'`,
  aggregateJson: (item, order) =>
    sql`json_group_array(${item}${order === undefined ? sql`` : sql` order by ${order}`})`,
  ascending: (expression) => expression,
  descending: (expression) => sql`${expression} desc`,
};
