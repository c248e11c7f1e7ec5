import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { ArrayNode, GeoNode, LiteralNode, LiteralType } from "../syntax/tree.ts";
import type { Context } from "./context.ts";
import type { BoundType, ConstantNode } from "./tree.ts";
import { isNumeric, typeName, wider } from "./typing.ts";

/** Candidate types for each form of literal. A literal gets the first type that can hold its value. */
const candidates = {
  Boolean: ["Edm.Boolean"],
  Integer: ["Edm.Int32", "Edm.Int64", "Edm.Decimal"],
  Decimal: ["Edm.Decimal"],
  Double: ["Edm.Double"],
  String: ["Edm.String"],
  Date: ["Edm.Date"],
  DateTimeOffset: ["Edm.DateTimeOffset"],
  TimeOfDay: ["Edm.TimeOfDay"],
  Duration: ["Edm.Duration"],
  Guid: ["Edm.Guid"],
  Binary: ["Edm.Binary"],
} as const satisfies Record<Exclude<LiteralType, "Null">, readonly PrimitiveType[]>;

/** Returns the constant for a literal, with its type and value. */
export function bindLiteral(node: LiteralNode): ConstantNode {
  if (node.type === "Null") return { kind: "Constant", type: "Null", value: null };
  if (node.type === "String") return { kind: "Constant", type: "Edm.String", value: storable(node) };
  const text = String(node.value);
  // Every integer of at most nine characters fits in 32 bits.
  if (node.type === "Integer" && text.length <= 9)
    return { kind: "Constant", type: "Edm.Int32", value: BigInt(text) };
  for (const type of candidates[node.type]) {
    const value = codecOf(type).parse(text);
    if (value !== undefined) return { kind: "Constant", type, value };
  }
  throw new QueryError("invalid_literal", node, {
    text: text.slice(0, 64),
    type: candidates[node.type][0],
    reason: "there is no such value",
  });
}

/**
 * Returns the text of a string literal without U+0000, which JSON strings can contain but no database can store.
 *
 * @throws {QueryError} `invalid_literal`
 */
function storable(node: LiteralNode): string {
  const text = String(node.value);
  if (!text.includes("\0")) return text;
  throw new QueryError("invalid_literal", node, {
    text: "\\u0000",
    type: "Edm.String",
    reason: "no text holds U+0000",
  });
}

/** SRID of longitude and latitude on WGS 84. */
const geographySrid = 4326;

export function bindGeo(node: GeoNode): ConstantNode {
  const { family, shape, srid } = node;
  if (family === "geography" && srid !== geographySrid) {
    throw new QueryError("not_supported", node, { feature: `a geography with SRID ${srid}` });
  }
  const prefix = family === "geography" ? "Edm.Geography" : "Edm.Geometry";
  const suffix = shape.type === "GeometryCollection" ? "Collection" : shape.type;
  return { kind: "Constant", type: `${prefix}${suffix}`, value: shape };
}

/** Binds a JSON array of literals to a constant collection of their common type. */
export function bindArray(node: ArrayNode, context: Context): ConstantNode {
  const items = node.items.map((item) => {
    const bound = context.bind(item, context);
    if (bound.kind !== "Constant")
      throw new QueryError("not_supported", item, { feature: "an expression in an array" });
    return bound;
  });
  let common: BoundType = "Null";
  for (const { type } of items) {
    if (type === "Null" || type === common) continue;
    if (common === "Null") common = type;
    else if (isNumeric(common) && isNumeric(type)) common = wider<BoundType>(common, type);
    else {
      throw new QueryError("type_mismatch", node, {
        operator: "[…]",
        actual: `${typeName(common)} and ${typeName(type)}`,
      });
    }
  }
  const type = common === "Null" ? "Edm.String" : (common as PrimitiveType);
  // Integers in an array of decimals become decimals: the codec of the common type reads every narrower value.
  const values = items.map(({ type: own, value }) =>
    value === null || own === type
      ? value
      : codecOf(type).fromJson(codecOf(own as PrimitiveType).toJson(value)),
  );
  return { kind: "Constant", type: `Collection(${type})`, value: values };
}
