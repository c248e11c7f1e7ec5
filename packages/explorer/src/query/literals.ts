import type { StructuralProperty } from "@cadastre/odata";

/** Returns a text as a literal: `O'Fallon` is `'O''Fallon'`. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const quotedTypes: ReadonlySet<string> = new Set(["Edm.String"]);

/** Returns a value of a property as a literal of `$filter`. Undefined for values that have none, such as places. */
function filterLiteral(property: StructuralProperty, value: unknown): string | undefined {
  if (value === null) return "null";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  return quotedTypes.has(property.type) ? quoteText(String(value)) : String(value);
}

/** Returns the condition that a property has a value, or that a collection has it among others. */
export function conditionOf(property: StructuralProperty, value: unknown): string | undefined {
  const literal = filterLiteral(property, value);
  if (literal === undefined) return undefined;
  return property.collection ? `${property.name}/any(x:x eq ${literal})` : `${property.name} eq ${literal}`;
}
