import type { PrimitiveType, ValueType } from "../model/types.ts";
import type { ArithmeticOperator } from "../syntax/tree.ts";
import type { EncodingName } from "./encoding.ts";
import type { SqlFragment } from "./fragment.ts";

export type DialectName = "sqlite" | "postgres";

/** SQL of a value, and how the value lies in it. */
export type SqlValue = {
  readonly sql: SqlFragment;
  readonly form: EncodingName;
  /** Digits after the point in a scaled integer; null for what is not one. */
  readonly scale: number | null;
};

/** A column of given values. */
type Given = { readonly name: SqlFragment; readonly type: PrimitiveType; readonly form: EncodingName };

/** All that differs between databases outside the function table. */
export type Dialect = {
  readonly name: DialectName;
  readonly placeholder: (position: number) => string;
  /** At most so many rows of a statement. */
  readonly limit: (count: SqlFragment) => SqlFragment;
  /**
   * A term of a union whose rows are merged in an order. PostgreSQL reads it by an index only if it is sorted and limited itself,
   * SQLite only if it is not.
   */
  readonly merged: (rows: SqlFragment, order: SqlFragment, limit: SqlFragment) => SqlFragment;
  /** The form of a column of this type, where the mapping does not say otherwise. */
  readonly encodings: Readonly<Record<PrimitiveType, EncodingName>>;
  /** The form of a computed value, as functions take and give it. Every form sorts as its values do. */
  readonly computed: Readonly<Record<PrimitiveType, EncodingName>>;
  /** A value of a column in its computed form. */
  readonly toComputed: (column: SqlFragment, form: EncodingName, scale: number | null) => SqlFragment;
  /** A value in database form as an operand of this type and form. */
  readonly operand: (encoded: unknown, type: PrimitiveType, form: EncodingName) => SqlFragment;
  /** The null of a type. */
  readonly nothing: (type: ValueType) => SqlFragment;
  /** An operand to be compared with one of another form, so that order and equality are those of the values. */
  readonly align: (operand: SqlValue, other: SqlValue) => SqlFragment;
  /** An operand whose order, or equality with another column, matters. */
  readonly ordered: (operand: SqlFragment, form: EncodingName) => SqlFragment;
  /** An operand as it is selected, to come back as an {@link Dialect.operand} of the next page. */
  readonly written: (operand: SqlFragment, form: EncodingName) => SqlFragment;
  /** A constant collection in the form of {@link Dialect.items}. */
  readonly collection: (values: readonly unknown[], item: PrimitiveType) => SqlFragment;
  readonly truth: (v: boolean) => SqlFragment;
  readonly isSame: (left: SqlFragment, right: SqlFragment) => SqlFragment;
  readonly isOther: (left: SqlFragment, right: SqlFragment) => SqlFragment;
  readonly call: (name: string, types: readonly ValueType[], args: readonly SqlFragment[]) => SqlFragment;
  readonly arithmetic: (
    operator: ArithmeticOperator,
    types: readonly [PrimitiveType, PrimitiveType],
    operands: readonly [SqlFragment, SqlFragment],
  ) => SqlFragment;
  readonly negate: (type: PrimitiveType, operand: SqlFragment) => SqlFragment;
  readonly cast: (from: PrimitiveType, to: PrimitiveType, operand: SqlFragment) => SqlFragment;
  readonly isOf: (type: PrimitiveType, of: PrimitiveType, operand: SqlFragment) => SqlFragment;
  /** Whether a text of names with commas between holds the name. */
  readonly hasFlag: (names: SqlFragment, name: SqlFragment) => SqlFragment;
  /** The items of a JSON array as rows of `alias`, their values in `item(alias)`. */
  readonly items: (array: SqlFragment, alias: SqlFragment) => SqlFragment;
  readonly item: (alias: SqlFragment, type: PrimitiveType) => SqlFragment;
  /** Rows of the alias that JSON arrays give, of a JSON array of them: values as {@link Dialect.written} gives them. */
  readonly given: (
    arrays: string,
    columns: readonly Given[],
    place: SqlFragment,
    alias: SqlFragment,
  ) => SqlFragment;
  /** The whole of an item, as JSON. */
  readonly itemJson: (alias: SqlFragment) => SqlFragment;
  /** What names lead to in a JSON object, one in the other, in the form of {@link Dialect.item}; else null. */
  readonly member: (object: SqlFragment, path: readonly string[], type: PrimitiveType) => SqlFragment;
  /** The same as JSON. */
  readonly memberJson: (object: SqlFragment, path: readonly string[]) => SqlFragment;
  /** Null where the JSON is. */
  readonly present: (json: SqlFragment) => SqlFragment;
  /** The form of `item(alias)`. */
  readonly itemEncodings: Readonly<Record<PrimitiveType, EncodingName>>;
  readonly emptyCollection: SqlFragment;
  /** The aggregate that makes a JSON array of rows, in the order of `order` if there is one. */
  readonly gather: (item: SqlFragment, order: SqlFragment | undefined) => SqlFragment;
  /** Nulls first in ascending order, last in descending. */
  readonly ascending: (expression: SqlFragment, nullable: boolean) => SqlFragment;
  readonly descending: (expression: SqlFragment, nullable: boolean) => SqlFragment;
};
