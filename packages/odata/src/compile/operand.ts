import type { BoundNode, BoundType, ConstantNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import type { PrimitiveType, StructuralProperty, ValueType } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { Encoded, EncodingName } from "../sql/encoding.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { Column } from "./mapping.ts";
import type { Place } from "./place.ts";
import type { ValueSource } from "./value-source.ts";

/**
 * `exact`: null where OData says null. `truth`: only whether it is true matters (below a `where`, `and` and
 * `or`), so null may stand for false; comparisons stay bare there, and an index can serve them.
 */
export type Mode = "exact" | "truth";

/** What compiling needs to know, passed down unchanged. */
export type Target = {
  readonly dialect: Dialect;
  /** The entity that the query is about. */
  readonly place: Place;
  readonly values: ValueSource;
  /** See `Mapping.few`. */
  readonly few: boolean;
  /** Variables of the enclosing lambdas, from the outermost in. A query's own names never reach SQL. */
  readonly variables: readonly Variable[];
  /** Compiles an expression: operands hold collections and predicates, which hold operands. */
  readonly operand: (node: BoundNode, target: Target) => Operand;
  readonly predicate: (node: BoundNode, target: Target, mode: Mode) => SqlFragment;
};

/** What a variable stands for: a primitive value, or the row of an entity or a complex value. */
export type Variable = { readonly name: string; readonly operand: Operand; readonly place?: Place };

/** Alias of a variable's items: by depth, since SQL does not tell `a` from `A`. */
export const aliasOf = (depth: number): string => `item${depth}`;

/** What is compiled inside a lambda over `variable`. */
export const within = (target: Target, variable: Variable): Target => ({
  ...target,
  variables: [...target.variables, variable],
});

/** A compiled value, and the form that it has in SQL. */
export type Operand = {
  readonly sql: SqlFragment;
  readonly type: BoundType;
  readonly nullable: boolean;
  readonly form: EncodingName;
  /** Digits after the point in a scaled integer; null for what is not one. */
  readonly scale: number | null;
  /** Of a column: a collection that is null there is empty, and one that is computed is null. */
  readonly stored?: true;
};

/** A constant in the form of `operand`, to be compared with it. */
export const encodeFor = ({ form, scale }: Operand, constant: ConstantNode, { values }: Target): Encoded =>
  values.encode(constant, form, scale);

/** The form of values of a type in a table of the dialect; of collections and of null: any. */
export const formOf = (type: BoundType, forms: Dialect["encodings"]): EncodingName =>
  typeof type === "string" && Object.hasOwn(forms, type) ? forms[type as PrimitiveType] : "plain";

/** What stands for a row that there is, where only that matters. */
export const presentOperand = (type: BoundType, { dialect }: Target): Operand => ({
  sql: dialect.truth(true),
  type,
  nullable: true,
  form: "plain",
  scale: null,
});

/** A column of values of `property`, which `read` names. */
export function columnOperand(
  { encoding }: Column,
  read: SqlFragment,
  property: StructuralProperty,
  type: ValueType,
  { dialect }: Target,
): Operand {
  const form = encoding ?? formOf(type, dialect.encodings);
  const scale = form === "scaled" ? (property.scale ?? 0) : null;
  return { sql: read, type, nullable: property.nullable, form, scale, stored: true };
}

/** The operand in the form in which functions take it. */
export function toComputed({ stored, ...operand }: Operand, { dialect }: Target): Operand {
  if (itemType(operand.type) !== undefined) {
    if (stored === undefined) return operand;
    return { ...operand, sql: sql`coalesce(${operand.sql}, ${dialect.emptyCollection})` };
  }
  const form = formOf(operand.type, dialect.computed);
  if (form === operand.form) return operand;
  return { ...operand, sql: dialect.toComputed(operand.sql, operand.form, operand.scale), form, scale: null };
}
