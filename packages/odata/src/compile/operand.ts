import type { BoundType, ConstantNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import type { PrimitiveType, StructuralProperty, ValueType } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { Encoded, EncodingName } from "../sql/encoding.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext, Operand } from "./compile-context.ts";
import type { Column } from "./mapping.ts";

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
export const encodingOf = (type: BoundType, forms: Dialect["columnEncodings"]): EncodingName =>
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
  const form = encoding ?? encodingOf(type, dialect.columnEncodings);
  const scale = form === "scaled" ? (property.scale ?? 0) : null;
  return { sql: read, type, nullable: property.nullable, form, scale, isColumn: true };
}

/** Converts an operand to the form that functions take. A null collection of a column becomes an empty one. */
export function toComputedOperand({ isColumn, ...operand }: Operand, { dialect }: CompileContext): Operand {
  if (itemType(operand.type) !== undefined) {
    if (isColumn === undefined) return operand;
    return { ...operand, sql: sql`coalesce(${operand.sql}, ${dialect.emptyCollection})` };
  }
  const form = encodingOf(operand.type, dialect.computedEncodings);
  if (form === operand.form) return operand;
  return { ...operand, sql: dialect.toComputed(operand.sql, operand.form, operand.scale), form, scale: null };
}
