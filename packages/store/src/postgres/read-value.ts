import { codecOf, type PrimitiveType } from "@cadastre/odata";
import { itemTypeOf, type ReadValue } from "../record/computed.ts";

/** Decodes a computed value selected by `forms`. */
export const readValue: ReadValue = (text, type) => {
  if (typeof text !== "string") return null;
  const item = itemTypeOf(type);
  if (item !== undefined) {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? items.map((json) => codecOf(item).fromJson(json) ?? null) : null;
  }
  return type.startsWith("Edm.Geo") ? JSON.parse(text) : (codecOf(type as PrimitiveType).parse(text) ?? null);
};
