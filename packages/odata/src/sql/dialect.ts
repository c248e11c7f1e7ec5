import type { PrimitiveType, ValueType } from "../model/types.ts";
import type { ArithmeticOperator } from "../syntax/tree.ts";
import type { EncodingName } from "./encoding.ts";
import type { SqlFragment } from "./fragment.ts";

export type DialectName = "sqlite" | "postgres";

/** SQL of a value, and its encoding. */
export type SqlValue = {
  readonly sql: SqlFragment;
  readonly form: EncodingName;
  /** Digits after the point of a scaled integer; null for other encodings. */
  readonly scale: number | null;
};

/** A column of a table of given values. */
type Given = { readonly name: SqlFragment; readonly type: PrimitiveType; readonly form: EncodingName };

/** The differences between databases outside the function table. */
export type Dialect = {
  readonly name: DialectName;
  readonly placeholder: (position: number) => string;
  /** Returns the clause that limits the number of rows. */
  readonly limit: (count: SqlFragment) => SqlFragment;
  /**
   * A term of a union whose rows are merged in an order. PostgreSQL reads it by an index only if it is sorted and limited itself,
   * SQLite only if it is not.
   */
  readonly merged: (rows: SqlFragment, order: SqlFragment, limit: SqlFragment) => SqlFragment;
  /** Default encoding of columns, by type. The mapping may override it. */
  readonly columnEncodings: Readonly<Record<PrimitiveType, EncodingName>>;
  /**
   * Encoding of computed values, by type: of arguments and results of functions. In every such encoding, values
   * sort correctly.
   */
  readonly computedEncodings: Readonly<Record<PrimitiveType, EncodingName>>;
  /** Converts the value of a column to its computed form. */
  readonly toComputed: (column: SqlFragment, form: EncodingName, scale: number | null) => SqlFragment;
  /** Returns a value in database form as an operand of this type and form. */
  readonly operand: (encoded: unknown, type: PrimitiveType, form: EncodingName) => SqlFragment;
  /** Returns null as a value of a type. */
  readonly typedNull: (type: ValueType) => SqlFragment;
  /**
   * Converts an operand for a comparison with one of another form, so that order and equality are those of the
   * values.
   */
  readonly align: (operand: SqlValue, other: SqlValue) => SqlFragment;
  /** Prepares an operand for sorting, or for an equality test with another column. */
  readonly ordered: (operand: SqlFragment, form: EncodingName) => SqlFragment;
  /**
   * Converts an operand for the select list, so that its value can be passed to {@link Dialect.operand} for the
   * next page.
   */
  readonly toCursor: (operand: SqlFragment, form: EncodingName) => SqlFragment;
  /** Returns a constant collection in the form that {@link Dialect.items} reads. */
  readonly collection: (values: readonly unknown[], item: PrimitiveType) => SqlFragment;
  readonly booleanLiteral: (v: boolean) => SqlFragment;
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
  /** Tests whether a comma-separated list of names contains the name. */
  readonly hasFlag: (names: SqlFragment, name: SqlFragment) => SqlFragment;
  /** Returns the items of a JSON array as rows of `alias`; `item(alias)` is the value of a row. */
  readonly items: (array: SqlFragment, alias: SqlFragment) => SqlFragment;
  readonly item: (alias: SqlFragment, type: PrimitiveType) => SqlFragment;
  /**
   * Returns a table of given rows under `alias`. `arrays` is a JSON array of arrays, one for each row, with values
   * as {@link Dialect.toCursor} returns them. The column `place` holds the index of a row in `arrays`.
   */
  readonly valuesTable: (
    arrays: string,
    columns: readonly Given[],
    place: SqlFragment,
    alias: SqlFragment,
  ) => SqlFragment;
  /** Returns an item as JSON. */
  readonly itemJson: (alias: SqlFragment) => SqlFragment;
  /**
   * Returns the value at a path in a JSON object, in the form of {@link Dialect.item}; null if the path does not
   * exist.
   */
  readonly member: (object: SqlFragment, path: readonly string[], type: PrimitiveType) => SqlFragment;
  /** Returns the value at a path as JSON. */
  readonly memberJson: (object: SqlFragment, path: readonly string[]) => SqlFragment;
  /** Turns a JSON null into an SQL null. */
  readonly nullIfJsonNull: (json: SqlFragment) => SqlFragment;
  /** Encoding of `item(alias)`, by type. */
  readonly itemEncodings: Readonly<Record<PrimitiveType, EncodingName>>;
  readonly emptyCollection: SqlFragment;
  /** Returns the aggregate that collects rows into a JSON array, sorted by `order` if given. */
  readonly aggregateJson: (item: SqlFragment, order: SqlFragment | undefined) => SqlFragment;
  /** Nulls are first in ascending order, last in descending order. */
  readonly ascending: (expression: SqlFragment, nullable: boolean) => SqlFragment;
  readonly descending: (expression: SqlFragment, nullable: boolean) => SqlFragment;
};
