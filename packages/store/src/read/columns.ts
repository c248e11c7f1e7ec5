import {
  type Column,
  codecOf,
  type EncodingName,
  encodings,
  type Row,
  type StructuralProperty,
} from "@cadastre/odata";
import { StoreError } from "../errors.ts";

/** The form of a property's column in a database. */
export type FormOf = (property: StructuralProperty) => EncodingName;

/** Where a database holds a property that has no column of its own. */
export type MemberColumn = (property: StructuralProperty) => Column;

/** The typed columns of a record in database form, in the order of `properties`. */
export function columnValues(
  properties: readonly StructuralProperty[],
  record: Row,
  formOf: FormOf,
): unknown[] {
  return properties.map((property) => {
    const json = record[property.name];
    if (json === null || json === undefined) return null;
    if (property.collection) return JSON.stringify(json);
    const inMemory = codecOf(property.type).fromJson(json);
    if (inMemory === undefined)
      throw new StoreError("invalid_record", `${property.name} is not a valid ${property.type}`);
    return encodings[formOf(property)](inMemory, property).value;
  });
}
