import type { PrimitiveType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { EncodingName } from "./encoding.ts";
import { type SqlFragment, sql, value } from "./fragment.ts";

export type DialectName = "sqlite" | "postgres";

/** All that differs between databases outside the function table. */
export type Dialect = {
  readonly name: DialectName;
  readonly placeholder: (position: number) => string;
  /** The form of a column of this type, where the mapping does not say otherwise. */
  readonly encodings: Readonly<Record<PrimitiveType, EncodingName>>;
  /** A value in database form as an operand of this type. */
  readonly operand: (encoded: unknown, type: PrimitiveType) => SqlFragment;
  /** A constant collection in the form of {@link Dialect.items}. */
  readonly collection: (values: readonly unknown[], item: PrimitiveType) => SqlFragment;
  readonly truth: (v: boolean) => SqlFragment;
  readonly isSame: (left: SqlFragment, right: SqlFragment) => SqlFragment;
  readonly isOther: (left: SqlFragment, right: SqlFragment) => SqlFragment;
  /** The items of a JSON array as rows of `alias`, their values in `item(alias)`. */
  readonly items: (array: SqlFragment, alias: SqlFragment) => SqlFragment;
  readonly item: (alias: SqlFragment, type: PrimitiveType) => SqlFragment;
  /** Nulls first in ascending order, last in descending. */
  readonly ascending: (expression: SqlFragment) => SqlFragment;
  readonly descending: (expression: SqlFragment) => SqlFragment;
};

const forms = {
  "Edm.String": "plain",
  "Edm.Byte": "scaled",
  "Edm.SByte": "scaled",
  "Edm.Int16": "scaled",
  "Edm.Int32": "scaled",
  "Edm.Int64": "scaled",
  "Edm.Single": "double",
  "Edm.Double": "double",
  "Edm.Guid": "plain",
  "Edm.Binary": "plain",
  "Edm.TimeOfDay": "plain",
  "Edm.Duration": "plain",
  "Edm.GeographyPoint": "plain",
  "Edm.GeographyLineString": "plain",
  "Edm.GeographyPolygon": "plain",
  "Edm.GeographyMultiPoint": "plain",
  "Edm.GeographyMultiLineString": "plain",
  "Edm.GeographyMultiPolygon": "plain",
  "Edm.GeographyCollection": "plain",
  "Edm.GeometryPoint": "plain",
  "Edm.GeometryLineString": "plain",
  "Edm.GeometryPolygon": "plain",
  "Edm.GeometryMultiPoint": "plain",
  "Edm.GeometryMultiLineString": "plain",
  "Edm.GeometryMultiPolygon": "plain",
  "Edm.GeometryCollection": "plain",
  "Edm.Decimal": "double",
  "Edm.Date": "dateText",
  "Edm.DateTimeOffset": "timestampText",
} as const;

const jsonOf = (one: unknown, type: PrimitiveType) => (one === null ? null : codecOf(type).toJson(one));

export const sqlite: Dialect = {
  name: "sqlite",
  placeholder: () => "?",
  encodings: { ...forms, "Edm.Boolean": "bit" },
  operand: (encoded) => value(encoded),
  collection: (values, item) => value(JSON.stringify(values.map((one) => jsonOf(one, item)))),
  truth: (v) => (v ? sql`1` : sql`0`),
  isSame: (left, right) => sql`${left} is ${right}`,
  isOther: (left, right) => sql`${left} is not ${right}`,
  items: (array, alias) => sql`json_each(${array}) as ${alias}`,
  item: (alias) => sql`${alias}.value`,
  ascending: (expression) => expression,
  descending: (expression) => sql`${expression} desc`,
};
