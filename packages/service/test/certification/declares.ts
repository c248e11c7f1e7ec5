import type { Declared } from "./metadata.ts";

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  "Edm.String": (value) => typeof value === "string",
  "Edm.Boolean": (value) => typeof value === "boolean",
  "Edm.Int64": (value) => Number.isSafeInteger(value),
  "Edm.Decimal": (value) => typeof value === "number",
  "Edm.Date": (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value),
  "Edm.DateTimeOffset": (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
  "Edm.GeographyPoint": (value) => typeof value === "object" && value !== null && "coordinates" in value,
};

/** Why a value is not as its property declares, in words; undefined if it is. */
export function declares(property: Declared, value: unknown): string | undefined {
  if (value === null) return property.nullable && !property.collection ? undefined : "null";
  if (property.collection !== Array.isArray(value)) return property.collection ? "no array" : "an array";
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const form = forms[property.type];
  if (form === undefined) return `unknown type ${property.type}`;
  if (!items.every(form)) return `no ${property.type}`;
  const { maxLength = Number.POSITIVE_INFINITY, scale = Number.POSITIVE_INFINITY } = property;
  if (items.some((item) => typeof item === "string" && codePoints(item) > maxLength)) return "too long";
  if (items.some((item) => typeof item === "number" && digitsAfterPoint(item) > scale))
    return "too many digits";
  return undefined;
}

/** As the databases count. */
const codePoints = (text: string): number => Array.from(text).length;

const digitsAfterPoint = (value: number): number => String(value).split(".")[1]?.length ?? 0;
