import type { StructuralProperty } from "@cadastre/odata";
import { type EncodingName, encodings } from "@cadastre/odata/compile";
import { StoreError } from "../errors.ts";
import { isWrittenInstant, isWrittenNumber, needsNoEscape, storedText, storedValue } from "./stored-value.ts";

/** Returns how a property is encoded in its database column. */
export type FormOf = (property: StructuralProperty) => EncodingName;

/**
 * Returns the values of typed columns in database form, in the order of `properties`.
 *
 * @param jsonOf returns the JSON value of a property by name
 */
export function columnValues(
  properties: readonly StructuralProperty[],
  jsonOf: (name: string) => unknown,
  formOf: FormOf,
): unknown[] {
  return properties.map((property) => {
    const json = jsonOf(property.name);
    if (json === null || json === undefined) return null;
    if (property.collection) return storedText(json, property);
    const form = formOf(property);
    return shortcuts[form]?.(json, property) ?? columnValue(json, property, form);
  });
}

function columnValue(json: unknown, property: StructuralProperty, form: EncodingName): unknown {
  const value = storedValue(json, property.type);
  if (value === undefined)
    throw new StoreError("invalid_record", `${property.name} is not a valid ${property.type}`);
  return encodings[form](value, property).value;
}

/** Fast path that returns the database form of a plain JSON value; undefined if the value needs the full conversion. */
type Shortcut = (json: unknown, property: StructuralProperty) => unknown;

const plainText: Shortcut = (json, { type }) =>
  type === "Edm.String" && typeof json === "string" && needsNoEscape(json) ? json : undefined;

/** Scales a decimal number to an integer; undefined if the integer does not convert back to exactly the same number. */
const scaledNumber: Shortcut = (json, { type, scale = 0 }) => {
  if (!isWrittenNumber(json, type)) return undefined;
  const power = 10 ** scale;
  const scaled = Math.round(json * power);
  return Number.isSafeInteger(scaled) && scaled / power === json ? BigInt(scaled) : undefined;
};

const plainNumber: Shortcut = (json, { type }) => (isWrittenNumber(json, type) ? String(json) : undefined);

const timestamp: Shortcut = (json) =>
  isWrittenInstant(json) ? `${json.slice(0, 10)} ${json.slice(11, 23).replace(/\.?0+$/, "")}+00` : undefined;

const shortcuts: Partial<Record<EncodingName, Shortcut>> = {
  plain: plainText,
  text: plainText,
  scaled: scaledNumber,
  numeric: plainNumber,
  timestampText: (json) => (isWrittenInstant(json) ? json : undefined),
  timestamptz: timestamp,
};
