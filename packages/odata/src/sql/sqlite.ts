import Big from "big.js";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { Dialect, SqlValue } from "./dialect.ts";
import { identifier, join, render, type SqlFragment, sql, value } from "./fragment.ts";
import { shapeForms } from "./shape-forms.ts";

/** Forms of columns: those of JSON, but 0 and 1 for booleans. */
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
} as const satisfies Dialect["encodings"];

/** A number that no JSON number of ECMAScript can hold is text. */
export function jsonOf(one: unknown, type: PrimitiveType): unknown {
  if (one instanceof Big) {
    const nearest = one.toNumber();
    return Number.isFinite(nearest) && one.eq(nearest) ? nearest : one.toString();
  }
  const json = one === null ? null : codecOf(type).toJson(one);
  return typeof json === "bigint" ? String(json) : json;
}

/** Name of a function that `registerFunctions` of `@cadastre/odata/sqlite` registers: `odata_length_string`. */
export const userFunctionName = (name: string, types: readonly ValueType[]): string =>
  ["odata", name, ...types]
    .join("_")
    .replaceAll(/Collection\((.*?)\)/g, "$1s")
    .replaceAll("Edm.", "")
    .replaceAll(".", "_")
    .toLowerCase();

const call = (name: string, types: readonly ValueType[], args: readonly SqlFragment[]): SqlFragment =>
  sql`${identifier(userFunctionName(name, types))}(${join(args, ", ")})`;

const toComputed: Dialect["toComputed"] = (column, form, scale) => {
  if (form === "timestampText") return call("instant", [], [column]);
  return call("number", [], scale === null ? [column] : [column, value(scale)]);
};

/** The double nearest to a scaled integer: that which has the same shortest digits. */
const asDouble = (integer: SqlFragment, scale: number): SqlFragment =>
  scale === 0 ? integer : sql`(${integer} / ${value(10 ** scale)})`;

/** Integers and doubles compare as they are, and what is made for sorting with its like. */
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

/** What reads JSON, or JSON itself, where there is any: what is none would raise an error. */
const inJson = (json: SqlFragment, read: SqlFragment = json): SqlFragment =>
  sql`case when json_valid(${json}) then ${read} end`;

/** Columns of `json_each`, which hide the table's from what it is given. */
const ownColumns = /\b(?:key|value|type|atom|id|parent|fullkey|path|json|root|rowid)\b/i;

/** One column of the alias's own name: those of `json_each` would hide the table's. */
function items(array: SqlFragment, alias: SqlFragment): SqlFragment {
  const given = identifier("an array");
  const each = ownColumns.test(render(array, () => "?").text)
    ? sql`(select ${array} as ${given}), json_each(${inJson(given)})`
    : sql`json_each(${inJson(array)})`;
  // What is no array has no index as its key.
  return sql`(select value as ${alias} from ${each} where typeof(key) = 'integer') as ${alias}`;
}

const itemOf = (alias: SqlFragment): SqlFragment => sql`${alias}.${alias}`;

const placeOf = (path: readonly string[]): SqlFragment =>
  value(`$${path.map((name) => `."${name}"`).join("")}`);

/**
 * SQLite 3.38 or later (for `->>`; 3.44 for collections that are tables with an order), on a connection with
 * the functions of `@cadastre/odata/sqlite`.
 */
export const sqlite: Dialect = {
  name: "sqlite",
  placeholder: () => "?",
  // A parameter alone would have SQLite look at its value, and so prepare the statement anew at each run.
  limit: (count) => sql`limit +${count}`,
  merged: (rows) => rows,
  encodings: columns,
  computed: { ...columns, "Edm.Decimal": "sortableText", "Edm.DateTimeOffset": "instantText" },
  toComputed,
  operand: (encoded) => value(encoded),
  nothing: () => sql`null`,
  align,
  ordered: (operand) => operand,
  written: (operand) => operand,
  collection: (values, item) => value(JSON.stringify(values.map((one) => jsonOf(one, item)))),
  truth: (v) => (v ? sql`1` : sql`0`),
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
  present: (json) => sql`nullif(${json}, 'null')`,
  // A path is text: a number would be bound as a double, which is no index.
  given: (arrays, given, place, alias) => {
    const items = given.map(({ name }, i) => sql`json_extract(value, ${value(`$[${i}]`)}) as ${name}`);
    return sql`(select ${join([sql`key as ${place}`, ...items], ", ")} from json_each(${value(arrays)})) as ${alias}`;
  },
  itemEncodings: columns,
  emptyCollection: sql`'[]'`,
  gather: (item, order) =>
    sql`json_group_array(${item}${order === undefined ? sql`` : sql` order by ${order}`})`,
  ascending: (expression) => expression,
  descending: (expression) => sql`${expression} desc`,
};
