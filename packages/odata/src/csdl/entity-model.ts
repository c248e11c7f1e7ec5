import type {
  EntityModel,
  EntityType,
  EnumType,
  PrimitiveType,
  StructuralProperty,
  StructuredProperty,
  StructuredType,
} from "../model/types.ts";
import {
  type CsdlDocument,
  type CsdlNavigation,
  type CsdlProperty,
  type CsdlType,
  withInherited,
} from "./csdl-document.ts";

/**
 * Returns the entity model that `$metadata` declares, to bind queries with that the service is to answer. A type has what it inherits. Left
 * out is what queries cannot name: sets whose type is missing, properties of unknown types, functions and singletons.
 */
export function entityModelOf(document: CsdlDocument): EntityModel {
  const types = new Map<string, StructuredType>();
  const typeOf = (name: string): StructuredType | undefined => {
    const known = types.get(name);
    if (known !== undefined) return known;
    const declared = withInherited(document, name);
    if (declared === undefined) return undefined;
    // Types may refer to each other, so that each is kept before its members are read.
    const properties = new Map<string, StructuralProperty>();
    const structured = new Map<string, StructuredProperty>();
    const type = { name: unqualified(name), properties, structured };
    const made = declared.kind === "entity" ? { ...type, key: declared.key } : type;
    types.set(name, made);
    addMembers(declared, properties, structured);
    return made;
  };
  const addMembers = (
    type: CsdlType,
    properties: Map<string, StructuralProperty>,
    structured: Map<string, StructuredProperty>,
  ): void => {
    for (const property of type.properties) {
      const known = structuralProperty(property, document);
      if (known !== undefined) properties.set(property.name, known);
      const target = known === undefined ? typeOf(property.type) : undefined;
      if (target !== undefined)
        structured.set(property.name, {
          name: property.name,
          target: () => target,
          collection: property.collection,
        });
    }
    for (const link of type.navigation) {
      const target = typeOf(link.type);
      if (target !== undefined) structured.set(link.name, navigationProperty(link, target));
    }
  };
  return {
    namespace: document.container?.namespace ?? "",
    container: document.container?.name ?? "",
    entitySets: [...document.entitySets].flatMap(([name, set]) => {
      const type = typeOf(set.type);
      return type === undefined || !("key" in type) ? [] : [{ name, type: type as EntityType }];
    }),
  };
}

const primitiveTypes: Readonly<Record<PrimitiveType, true>> = {
  "Edm.String": true,
  "Edm.Boolean": true,
  "Edm.Byte": true,
  "Edm.SByte": true,
  "Edm.Int16": true,
  "Edm.Int32": true,
  "Edm.Int64": true,
  "Edm.Decimal": true,
  "Edm.Single": true,
  "Edm.Double": true,
  "Edm.Date": true,
  "Edm.DateTimeOffset": true,
  "Edm.TimeOfDay": true,
  "Edm.Duration": true,
  "Edm.Guid": true,
  "Edm.Binary": true,
  "Edm.GeographyPoint": true,
  "Edm.GeographyLineString": true,
  "Edm.GeographyPolygon": true,
  "Edm.GeographyMultiPoint": true,
  "Edm.GeographyMultiLineString": true,
  "Edm.GeographyMultiPolygon": true,
  "Edm.GeographyCollection": true,
  "Edm.GeometryPoint": true,
  "Edm.GeometryLineString": true,
  "Edm.GeometryPolygon": true,
  "Edm.GeometryMultiPoint": true,
  "Edm.GeometryMultiLineString": true,
  "Edm.GeometryMultiPolygon": true,
  "Edm.GeometryCollection": true,
};

const isPrimitiveType = (name: string): name is PrimitiveType => Object.hasOwn(primitiveTypes, name);

const unqualified = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

const navigationProperty = (
  { name, collection, partner, constraints }: CsdlNavigation,
  target: StructuredType,
): StructuredProperty => ({
  name,
  target: () => target,
  collection,
  ...(partner === undefined ? {} : { partner }),
  ...(Object.keys(constraints).length === 0 ? {} : { constraints }),
});

/** Returns a property of a primitive type or an enumeration. Undefined if it is of another type. */
function structuralProperty(property: CsdlProperty, document: CsdlDocument): StructuralProperty | undefined {
  const { name, collection, nullable, maxLength, precision, scale, srid, annotations } = property;
  const typeName = document.definitions.get(property.type) ?? property.type;
  const enumType = enumTypeOf(typeName, document);
  const type = enumType === undefined ? typeName : "Edm.String";
  if (!isPrimitiveType(type)) return undefined;
  return {
    name,
    type,
    collection,
    nullable,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(srid === undefined ? {} : { srid }),
    ...(enumType === undefined ? {} : { enumType }),
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}

/** Returns the enumeration of a name, with the numbers of its members if the document states all of them. */
function enumTypeOf(name: string, { enumerations }: CsdlDocument): EnumType | undefined {
  const enumeration = enumerations.get(name);
  if (enumeration === undefined) return undefined;
  const { members, isFlags } = enumeration;
  const values = members.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return {
    name,
    members: members.map((member) => member.name),
    isFlags,
    ...(values.length === members.length ? { values } : {}),
  };
}
