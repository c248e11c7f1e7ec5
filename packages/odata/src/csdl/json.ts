import type { Annotation, EntityModel, EntitySet, EntityType, StructuralProperty } from "../model/types.ts";
import { vocabulariesOf } from "./vocabularies.ts";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** Writes the model as a CSDL JSON document, the body of `$metadata` in JSON. Source: OData CSDL JSON 4.01. */
export function writeCsdlJson(model: EntityModel): string {
  const references = vocabulariesOf(model).map(({ namespace, json }): [string, Json] => [
    json,
    { $Include: [{ $Namespace: namespace }] },
  ]);
  const types = [...new Set(model.entitySets.map((set) => set.type))];
  const document: JsonObject = {
    $Version: "4.01",
    ...(references.length === 0 ? {} : { $Reference: Object.fromEntries(references) }),
    $EntityContainer: `${model.namespace}.${model.container}`,
    [model.namespace]: {
      ...Object.fromEntries(types.map((type) => [type.name, entityType(type)])),
      [model.container]: {
        $Kind: "EntityContainer",
        ...Object.fromEntries(model.entitySets.map((set) => [set.name, entitySet(set, model.namespace)])),
      },
    },
  };
  return JSON.stringify(document);
}

const entityType = ({ key, properties, annotations }: EntityType): JsonObject => ({
  $Kind: "EntityType",
  $Key: key,
  ...Object.fromEntries([...properties.values()].map((property) => [property.name, toJson(property)])),
  ...annotated(annotations),
});

/** Writes a property. Omitted members have defaults: the type `Edm.String`, single-valued, not nullable. */
function toJson(property: StructuralProperty): JsonObject {
  const { type, collection, nullable, maxLength, precision, scale, srid, annotations } = property;
  return {
    ...(type === "Edm.String" ? {} : { $Type: type }),
    ...(collection ? { $Collection: true } : {}),
    ...(nullable ? { $Nullable: true } : {}),
    ...(maxLength === undefined ? {} : { $MaxLength: maxLength }),
    ...(precision === undefined ? {} : { $Precision: precision }),
    ...(scale === undefined ? {} : { $Scale: scale }),
    ...(srid === undefined ? {} : { $SRID: String(srid) }),
    ...annotated(annotations),
  };
}

const entitySet = ({ type, annotations }: EntitySet, namespace: string): JsonObject => ({
  $Collection: true,
  $Type: `${namespace}.${type.name}`,
  ...annotated(annotations),
});

const annotated = (annotations: readonly Annotation[] = []): JsonObject =>
  Object.fromEntries(annotations.map(({ term, value }) => [`@${term}`, value]));
