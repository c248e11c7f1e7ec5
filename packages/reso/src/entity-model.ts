import type { Annotation, EntityModel, EntitySet, StructuralProperty } from "@cadastre/odata";
import { derivedFields } from "./derived-fields.ts";
import { resourceNames } from "./dictionary.ts";
import type { Field } from "./field.ts";
import { isOwnResource } from "./own-resources.ts";
import { type RecordName, recordNames, resource } from "./resources.ts";

/** How `$metadata` calls the name for people of a field that the dictionary has, and of a local one. */
const nameTerm = (field: Field): string =>
  field.source === null ? "RESO.OData.Metadata.StandardName" : "RESO.OData.Metadata.DisplayName";

function annotationsOf(field: Field): readonly Annotation[] {
  if (field.computed) return [{ term: "Org.OData.Core.V1.Computed", value: true }];
  // The dictionary has no name for these.
  if (derivedFields.some(({ name }) => name === field.name)) return [];
  return [
    { term: nameTerm(field), value: field.displayName },
    ...(field.lookup === undefined ? [] : [{ term: "RESO.OData.Metadata.LookupName", value: field.lookup }]),
  ];
}

/** A field is a structural property that knows more; here it gains its annotations. */
const toProperty = (field: Field): StructuralProperty => ({ ...field, annotations: annotationsOf(field) });

function toEntitySet(name: RecordName): EntitySet {
  const { key, fields } = resource(name);
  // `$metadata` does not describe our own.
  const properties = isOwnResource(name) ? fields : fields.map(toProperty);
  return {
    name,
    type: { name, key: [key], properties: new Map(properties.map((property) => [property.name, property])) },
  };
}

const entitySets = new Map(recordNames.map((name) => [name, toEntitySet(name)]));

/** The entity set of a resource, which goes by the resource's name. Those of our own are none of the OData service. */
export function entitySet(name: RecordName): EntitySet {
  const found = entitySets.get(name);
  if (found === undefined) throw new RangeError(`unknown entity set \`${name}\``);
  return found;
}

/** Every entity set of the service. No navigation property is declared. */
export const entityModel: EntityModel = {
  namespace: "org.reso.metadata",
  container: "RESO",
  entitySets: resourceNames.map(entitySet),
};
