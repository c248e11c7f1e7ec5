import type { BoundNode, BoundType, ConstantNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import type { PrimitiveType, StructuralProperty, ValueType } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { Encoded, EncodingName } from "../sql/encoding.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { Column } from "./mapping.ts";
import type { RowContext } from "./row-context.ts";
import type { ValueSource } from "./value-source.ts";

/**
 * Treatment of null in a compiled condition. `exact`: null where OData says null. `truth`: only true matters
 * (directly below `where`, `and` and `or`), so null may stand for false; comparisons are then compiled without
 * `coalesce`, so that an index can serve them.
 */
export type NullMode = "exact" | "truth";

/** Compilation context, passed down. Only the scope of variables grows on the way. */
export type CompileContext = {
  readonly dialect: Dialect;
  /** The row context of the queried entity. */
  readonly place: RowContext;
  readonly values: ValueSource;
  /** See `Mapping.few`. */
  readonly few: boolean;
  /** Variables of the enclosing lambdas, outermost first. Names from the query text never become SQL. */
  readonly variables: readonly Variable[];
  /**
   * Compiles an expression. Passed as a member because operands contain collections and predicates, which contain
   * operands.
   */
  readonly operand: (node: BoundNode, target: CompileContext) => Operand;
  readonly predicate: (node: BoundNode, target: CompileContext, mode: NullMode) => SqlFragment;
};

/** Value of a variable: a primitive value, or the row of an entity or complex value. */
export type Variable = { readonly name: string; readonly operand: Operand; readonly place?: RowContext };

/** Alias of a variable's items. It is made from the depth, because SQL does not distinguish `a` from `A`. */
export const aliasOf = (depth: number): string => `item${depth}`;

/** Adds a variable to the scope, for the inside of a lambda. */
export const withVariable = (target: CompileContext, variable: Variable): CompileContext => ({
  ...target,
  variables: [...target.variables, variable],
});

/** A compiled value, and its encoding in SQL. */
export type Operand = {
  readonly sql: SqlFragment;
  readonly type: BoundType;
  readonly nullable: boolean;
  readonly form: EncodingName;
  /** Digits after the point of a scaled integer; null for other forms. */
  readonly scale: number | null;
  /**
   * True for the value of a column. A null collection in a column is empty, whereas a computed null collection is
   * null.
   */
  readonly stored?: true;
};

/** Encodes a constant in the form of `operand`, for a comparison with it. */
export const encodeFor = (
  { form, scale }: Operand,
  constant: ConstantNode,
  { values }: CompileContext,
): Encoded => values.encode(constant, form, scale);

/**
 * Returns the form of a type's values among `forms`. Collections and null have no form of their own and are
 * `plain`.
 */
export const encodingOf = (type: BoundType, forms: Dialect["encodings"]): EncodingName =>
  typeof type === "string" && Object.hasOwn(forms, type) ? forms[type as PrimitiveType] : "plain";

/** Operand for a row that exists, for expressions that only test whether it is null. */
export const presentOperand = (type: BoundType, { dialect }: CompileContext): Operand => ({
  sql: dialect.booleanLiteral(true),
  type,
  nullable: true,
  form: "plain",
  scale: null,
});

/** Returns the operand of a column with values of `property`; `read` is the SQL name of the column. */
export function columnOperand(
  { encoding }: Column,
  read: SqlFragment,
  property: StructuralProperty,
  type: ValueType,
  { dialect }: CompileContext,
): Operand {
  const form = encoding ?? encodingOf(type, dialect.encodings);
  const scale = form === "scaled" ? (property.scale ?? 0) : null;
  return { sql: read, type, nullable: property.nullable, form, scale, stored: true };
}

/** Converts an operand to the form that functions take. */
export function toComputedOperand({ stored, ...operand }: Operand, { dialect }: CompileContext): Operand {
  if (itemType(operand.type) !== undefined) {
    if (stored === undefined) return operand;
    return { ...operand, sql: sql`coalesce(${operand.sql}, ${dialect.emptyCollection})` };
  }
  const form = encodingOf(operand.type, dialect.computed);
  if (form === operand.form) return operand;
  return { ...operand, sql: dialect.toComputed(operand.sql, operand.form, operand.scale), form, scale: null };
}
