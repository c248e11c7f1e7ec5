import {
  type Annotation,
  type EntityModel,
  type EntitySet,
  type EnumType,
  isEntityType,
  type StructuralProperty,
  type StructuredProperty,
  type StructuredType,
} from "../model/types.ts";
import { bindingsOf, numberedMembers, schemaTypesOf, splitName, structuredOf } from "./schema-types.ts";
import { vocabulariesOf } from "./vocabularies.ts";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** Writes the model as a CSDL JSON document, the body of `$metadata` in JSON. Source: OData CSDL JSON 4.01. */
export function writeCsdlJson(model: EntityModel): string {
  const references = vocabulariesOf(model).map(({ namespace, json }): [string, Json] => [
    json,
    { $Include: [{ $Namespace: namespace }] },
  ]);
  const { namespace } = model;
  const { structured, enums } = schemaTypesOf(model);
  const enumsOf = (types: readonly EnumType[] = []) =>
    Object.fromEntries(types.map((type) => [splitName(type.name)[1], enumType(type)]));
  const others = [...enums].filter(([name]) => name !== namespace);
  const document: JsonObject = {
    $Version: "4.01",
    ...(references.length === 0 ? {} : { $Reference: Object.fromEntries(references) }),
    $EntityContainer: `${namespace}.${model.container}`,
    [namespace]: {
      ...enumsOf(enums.get(namespace)),
      ...Object.fromEntries(structured.map((type) => [type.name, structuredType(type, namespace)])),
      [model.container]: {
        $Kind: "EntityContainer",
        ...Object.fromEntries(model.entitySets.map((set) => [set.name, entitySet(set, model)])),
      },
    },
    ...Object.fromEntries(others.map(([name, types]) => [name, enumsOf(types)])),
  };
  return JSON.stringify(document);
}

const enumType = (type: EnumType): JsonObject => ({
  $Kind: "EnumType",
  ...(type.isFlags ? { $IsFlags: true } : {}),
  ...Object.fromEntries(numberedMembers(type).map(([name, value]) => [name, Number(value)])),
});

function structuredType(type: StructuredType, namespace: string): JsonObject {
  const properties = Object.fromEntries([
    ...[...type.properties.values()].map((property) => [property.name, toJson(property)] as const),
    ...structuredOf(type).map(
      (property) => [property.name, structuredProperty(property, namespace)] as const,
    ),
  ]);
  if (!isEntityType(type)) return { $Kind: "ComplexType", ...properties };
  return { $Kind: "EntityType", $Key: type.key, ...properties, ...annotated(type.annotations) };
}

function structuredProperty(
  { target, collection, partner, constraints }: StructuredProperty,
  namespace: string,
): JsonObject {
  const type = target();
  return {
    ...(isEntityType(type) ? { $Kind: "NavigationProperty" } : {}),
    $Type: `${namespace}.${type.name}`,
    ...(collection ? { $Collection: true } : { $Nullable: true }),
    ...(partner === undefined ? {} : { $Partner: partner }),
    ...(constraints === undefined ? {} : { $ReferentialConstraint: constraints }),
  };
}

/** Writes a property. Omitted members have defaults: the type `Edm.String`, single-valued, not nullable. */
function toJson(property: StructuralProperty): JsonObject {
  const { type, enumType: named, collection, nullable, annotations } = property;
  const { maxLength, precision, scale, srid } = property;
  const single = named?.name ?? type;
  return {
    ...(single === "Edm.String" ? {} : { $Type: single }),
    ...(collection ? { $Collection: true } : {}),
    ...(nullable ? { $Nullable: true } : {}),
    ...(maxLength === undefined ? {} : { $MaxLength: maxLength }),
    ...(precision === undefined ? {} : { $Precision: precision }),
    ...(scale === undefined ? {} : { $Scale: scale }),
    ...(srid === undefined ? {} : { $SRID: String(srid) }),
    ...annotated(annotations),
  };
}

function entitySet({ type, annotations }: EntitySet, model: EntityModel): JsonObject {
  const bindings = bindingsOf(type, model);
  return {
    $Collection: true,
    $Type: `${model.namespace}.${type.name}`,
    ...(bindings.length === 0 ? {} : { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
    ...annotated(annotations),
  };
}

const annotated = (annotations: readonly Annotation[] = []): JsonObject =>
  Object.fromEntries(annotations.map(({ term, value }) => [`@${term}`, value]));
