import type { BoundNode } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import { QueryError } from "../errors.ts";
import { userFunctionName } from "../functions/user-function.ts";
import type { PrimitiveType, StructuralProperty } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type Encoding, encodings } from "../sql/encoding.ts";
import { identifier, join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { Mapping } from "./mapping.ts";

/**
 * `exact`: null where OData says null. `truth`: only whether it is true matters (below a `where`, `and` and
 * `or`), so null may stand for false; comparisons stay bare there, and an index can serve them.
 */
export type Mode = "exact" | "truth";

/** What compiling needs to know, passed down unchanged. */
export type Target = {
  readonly dialect: Dialect;
  readonly mapping: Mapping;
  /** Compiles a boolean expression: operands hold predicates as predicates hold operands. */
  readonly predicate: (node: BoundNode, target: Target, mode: Mode) => SqlFragment;
};

/** A compiled value, and the form that a constant must take to be compared with it. */
export type Operand = {
  readonly sql: SqlFragment;
  readonly nullable: boolean;
  readonly property: StructuralProperty | null;
  readonly encoding: Encoding;
  /** Digits after the point in a scaled integer; null for what is not one. */
  readonly scale: number | null;
};

/**
 * Compile an expression to SQL that gives its value, or null.
 *
 * @throws {QueryError} `not_supported` for what has no SQL yet.
 */
export function compileOperand(node: BoundNode, target: Target): Operand {
  const { dialect, mapping } = target;
  switch (node.kind) {
    case "Constant":
      return computed(constantSql(node.value, node.type, target), node.value === null, node, target);
    case "Property": {
      if (node.base !== undefined) throw notSupported("a path");
      const column = mapping.column(node.property);
      const { property } = node;
      const form = column.encoding ?? dialect.encodings[property.type];
      const scale = form === "scaled" ? (property.scale ?? 0) : null;
      return { sql: column.sql, nullable: property.nullable, property, encoding: encodings[form], scale };
    }
    case "Variable": {
      if (typeof node.type !== "string") throw notSupported("a path");
      return computed(dialect.item(identifier(node.name), node.type), true, node, target);
    }
    case "Call": {
      const { entry } = node;
      if ([entry.returns, ...entry.params].some(hasNoForm)) throw notSupported(`\`${entry.name}\``);
      const args = node.args.map((arg) => compileOperand(arg, target));
      const fragments = args.map((arg) => arg.sql);
      const template = entry[dialect.name];
      const call =
        template?.(fragments) ?? sql`${identifier(userFunctionName(entry))}(${join(fragments, ", ")})`;
      return computed(
        sql`(${call})`,
        args.some(({ nullable }) => nullable),
        node,
        target,
      );
    }
    case "Choice": {
      const when = target.predicate(node.when, target, "truth");
      const chosen = compileOperand(node.value, target);
      if (node.otherwise === undefined) {
        return { ...chosen, sql: sql`case when ${when} then ${chosen.sql} end`, nullable: true };
      }
      const otherwise = compileOperand(node.otherwise, target);
      const either = sql`case when ${when} then ${chosen.sql} else ${otherwise.sql} end`;
      return { ...chosen, sql: either, nullable: true };
    }
    case "Structure":
    case "Size":
    case "Arithmetic":
    case "Negate":
    case "Cast":
    case "IsOf":
    case "Flags":
      throw notSupported(unsupported[node.kind]);
    case "Compare":
    case "Membership":
    case "Logical":
    case "Not":
    case "Lambda":
      return computed(
        sql`(${target.predicate(node, target, "exact")})`,
        node.kind !== "Compare",
        node,
        target,
      );
  }
}

/** Computed decimals, times and shapes have no form in SQL yet; columns of them do. */
const hasNoForm = (type: string) => !/Edm\.(String|Boolean|Date|Int32|Int64|Guid)\b/.test(type);

const unsupported = {
  Structure: "a path",
  Size: "`$count` in an expression",
  Arithmetic: "arithmetic",
  Negate: "arithmetic",
  Cast: "a conversion",
  IsOf: "`isof`",
  Flags: "`has`",
} as const;

const notSupported = (feature: string) => new QueryError("not_supported", null, { feature });

function computed(
  fragment: SqlFragment,
  nullable: boolean,
  { type }: BoundNode,
  { dialect }: Target,
): Operand {
  const isScalar = typeof type === "string" && type !== "Null" && !type.startsWith("Collection(");
  const form = isScalar ? dialect.encodings[type as PrimitiveType] : "plain";
  return {
    sql: fragment,
    nullable,
    property: null,
    encoding: encodings[form],
    scale: form === "scaled" ? 0 : null,
  };
}

/** A constant in the dialect's own form. */
function constantSql(value: unknown, type: BoundNode["type"], { dialect }: Target): SqlFragment {
  if (value === null || type === "Null") return sql`null`;
  if (Array.isArray(value)) return dialect.collection(value, itemType(type) as PrimitiveType);
  const primitive = type as PrimitiveType;
  const plain: StructuralProperty = { name: "", type: primitive, collection: false, nullable: false };
  return dialect.operand(encodings[dialect.encodings[primitive]](value, plain).value, primitive);
}
