import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import type { ArrayNode, GeoNode, LiteralNode, LiteralType } from "../syntax/tree.ts";
import type { Context } from "./context.ts";
import type { BoundType, ConstantNode } from "./tree.ts";
import { isNumeric, typeName, wider } from "./typing.ts";

/** The types that a literal's form may stand for: the first that holds its value is taken. */
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

/** Give a literal its type and its value. */
export function bindLiteral(node: LiteralNode): ConstantNode {
  if (node.type === "Null") return { kind: "Constant", type: "Null", value: null };
  if (node.type === "String") return { kind: "Constant", type: "Edm.String", value: storable(node) };
  const text = String(node.value);
  // Nine digits are within 32 bits, whatever they are.
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

/** Text without U+0000, which only JSON can write here and no database can hold. */
function storable(node: LiteralNode): string {
  const text = String(node.value);
  if (!text.includes("\0")) return text;
  throw new QueryError("invalid_literal", node, {
    text: "\\u0000",
    type: "Edm.String",
    reason: "no text holds U+0000",
  });
}

/** SRIDs of coordinates that are longitude and latitude on WGS 84. */
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

/** A JSON array of literals: a constant collection of their common type. */
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
  // Integers among decimals are decimals: the codec of the common type reads every narrower value.
  const values = items.map(({ type: own, value }) =>
    value === null || own === type
      ? value
      : codecOf(type).fromJson(codecOf(own as PrimitiveType).toJson(value)),
  );
  return { kind: "Constant", type: `Collection(${type})`, value: values };
}
