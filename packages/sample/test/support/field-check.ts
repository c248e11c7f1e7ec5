import type { Field } from "@cadastre/reso";
import { sampleCatalog } from "../../src/catalog/index.ts";
import type { FieldValue } from "../../src/record.ts";

const { values: lookupValues } = sampleCatalog.lookups;

const patterns: Partial<Record<Field["type"], RegExp>> = {
  "Edm.Date": /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  "Edm.DateTimeOffset": /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
};

const decimals = (n: number): number => (String(n).split(".")[1] ?? "").length;

function stringFault(field: Field, value: string): string | undefined {
  if (value === "") return "is empty";
  if (Array.from(value).length > (field.maxLength ?? Number.POSITIVE_INFINITY)) return "is too long";
  const pattern = patterns[field.type];
  if (pattern !== undefined) return pattern.test(value) ? undefined : `is no ${field.type}`;
  if (field.type !== "Edm.String") return "is a string";
  const listed = field.lookup === undefined ? [] : lookupValues(field.lookup);
  if (listed.length > 0 && !listed.some((row) => row.value === value)) return "is not in the lookup";
  return undefined;
}

function numberFault(field: Field, value: number): string | undefined {
  if (!Number.isFinite(value)) return "is not finite";
  if (field.type === "Edm.Int64") return Number.isSafeInteger(value) ? undefined : "is not whole";
  if (field.type !== "Edm.Decimal") return "is a number";
  if (decimals(value) > (field.scale ?? 0)) return "has too many decimals";
  return Math.abs(value) < 10 ** ((field.precision ?? 18) - (field.scale ?? 0)) ? undefined : "is too large";
}

function scalarFault(field: Field, value: FieldValue): string | undefined {
  if (typeof value === "string") return stringFault(field, value);
  if (typeof value === "number") return numberFault(field, value);
  if (typeof value === "boolean") return field.type === "Edm.Boolean" ? undefined : "is a boolean";
  if ("type" in value) return field.type === "Edm.GeographyPoint" ? undefined : "is a point";
  return "is a list";
}

/** Returns what is wrong with a value of `field`; undefined if nothing is. */
export function faultOf(field: Field, value: FieldValue): string | undefined {
  if (!field.collection) return scalarFault(field, value);
  if (!Array.isArray(value)) return "is no list";
  const items = value as readonly string[];
  if (items.length === 0) return "is an empty list";
  if (new Set(items).size < items.length) return "repeats an item";
  return items.map((item) => scalarFault(field, item)).find((fault) => fault !== undefined);
}
