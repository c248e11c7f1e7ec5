import { type EncodingName, encodings, type StructuralProperty } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import { storedText, storedValue } from "../record/stored-value.ts";

/** The form of a property's column in a database. */
export type FormOf = (property: StructuralProperty) => EncodingName;

/** The typed columns of a record in database form, in the order of `properties`; `jsonOf` gives a value by its name. */
export function columnValues(
  properties: readonly StructuralProperty[],
  jsonOf: (name: string) => unknown,
  formOf: FormOf,
): unknown[] {
  return properties.map((property) => {
    const json = jsonOf(property.name);
    if (json === null || json === undefined) return null;
    if (property.collection) return storedText(json, property);
    const value = storedValue(json, property.type);
    if (value === undefined)
      throw new StoreError("invalid_record", `${property.name} is not a valid ${property.type}`);
    return encodings[formOf(property)](value, property).value;
  });
}
