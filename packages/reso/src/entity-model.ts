import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import type { Annotation } from "@cadastre/odata/run";
import { derivedFields } from "./derived-fields.ts";
import type { Field } from "./field.ts";
import { isOwnResource } from "./own-resources.ts";
import type { ResoResource } from "./resources.ts";

/** Returns the term of the annotation with a field's display name: `StandardName` for a dictionary field, `DisplayName` for a local one. */
const nameTerm = (field: Field): string =>
  field.source === null ? "RESO.OData.Metadata.StandardName" : "RESO.OData.Metadata.DisplayName";

function annotationsOf(field: Field): readonly Annotation[] {
  if (field.computed) return [{ term: "Org.OData.Core.V1.Computed", value: true }];
  // The dictionary has no display name for these.
  if (derivedFields.some(({ name }) => name === field.name)) return [];
  return [
    { term: nameTerm(field), value: field.displayName },
    ...(field.lookup === undefined ? [] : [{ term: "RESO.OData.Metadata.LookupName", value: field.lookup }]),
    ...(field.annotations ?? []),
  ];
}

/** Adds its annotations to a field, which is a structural property with further members. */
const toProperty = (field: Field): StructuralProperty => ({ ...field, annotations: annotationsOf(field) });

/** Returns the entity set of a resource, which has the resource's name. */
export function toEntitySet({ name, key, fields }: ResoResource): EntitySet {
  // `$metadata` does not describe the resources that the dictionary does not have.
  const properties = isOwnResource(name) ? fields : fields.map(toProperty);
  return {
    name,
    type: { name, key: [key], properties: new Map(properties.map((property) => [property.name, property])) },
  };
}
