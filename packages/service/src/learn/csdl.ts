import type { Annotation } from "@cadastre/odata/run";
import type { FeedField, FeedLookupValue, FeedSchema } from "./feed-schema.ts";

/** A property of a CSDL document. Its type is as written, such as `Edm.String` or `Alias.Status`. */
export type CsdlProperty = {
  readonly name: string;
  readonly type: string;
  readonly collection: boolean;
  readonly maxLength: number | undefined;
  readonly precision: number | undefined;
  readonly scale: number | undefined;
  readonly annotations: readonly Annotation[];
};

/** An enumeration type, with the display form of its members where an annotation states one. */
export type CsdlEnumeration = {
  readonly isFlags: boolean;
  readonly members: readonly FeedLookupValue[];
};

/** Declarations of a CSDL document. Types are by qualified name, with the namespace and with its alias. */
export type CsdlDocument = {
  /** Qualified type by entity set. */
  readonly entitySets: ReadonlyMap<string, string>;
  readonly entityTypes: ReadonlyMap<
    string,
    { readonly base: string | undefined; readonly properties: readonly CsdlProperty[] }
  >;
  readonly enumerations: ReadonlyMap<string, CsdlEnumeration>;
  /** Underlying type by type definition. */
  readonly definitions: ReadonlyMap<string, string>;
};

/** Returns the value of an annotation by the last name of its term, since documents use several aliases of RESO's namespace. */
export function annotationText(annotations: readonly Annotation[], name: string): string | undefined {
  const found = annotations.find(({ term }) => term.slice(term.lastIndexOf(".") + 1) === name);
  return typeof found?.value === "string" ? found.value : undefined;
}

/** Returns the fields and lookups of a document. */
export function schemaOfCsdl(document: CsdlDocument): FeedSchema {
  const lookups = new Map<string, readonly FeedLookupValue[]>();
  const fields = [...document.entitySets].flatMap(([resource, type]) =>
    propertiesOf(document, type).map((property) => {
      const { name, annotations } = property;
      const type = document.definitions.get(property.type) ?? property.type;
      const enumeration = document.enumerations.get(type);
      const lookup =
        annotationText(annotations, "LookupName") ?? (enumeration && type.slice(type.lastIndexOf(".") + 1));
      if (enumeration !== undefined && lookup !== undefined) lookups.set(lookup, enumeration.members);
      return toFeedField(property, {
        resource,
        name,
        type: enumeration === undefined ? type : "Edm.String",
        collection: property.collection || (enumeration?.isFlags ?? false),
        lookup,
        ...(enumeration && { enumeration: enumeration.isFlags && !property.collection ? "flags" : "member" }),
      });
    }),
  );
  return { fields, lookups };
}

function toFeedField(
  { maxLength, precision, scale, annotations }: CsdlProperty,
  { lookup, ...field }: FeedField | (Omit<FeedField, "lookup"> & { readonly lookup: string | undefined }),
): FeedField {
  const displayName =
    annotationText(annotations, "DisplayName") ?? annotationText(annotations, "StandardName");
  const others = annotations.filter(
    ({ term }) => !/(?:^|\.)(?:DisplayName|StandardName|LookupName)$/.test(term),
  );
  return {
    ...field,
    ...(lookup === undefined ? {} : { lookup }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(others.length === 0 ? {} : { annotations: others }),
  };
}

/** Returns the properties of a type and of its base types. A type that is its own base ends the chain. */
function propertiesOf({ entityTypes }: CsdlDocument, type: string): readonly CsdlProperty[] {
  const seen = new Set<string>();
  const properties: CsdlProperty[] = [];
  for (let at: string | undefined = type; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const found = entityTypes.get(at);
    properties.unshift(...(found?.properties ?? []));
    at = found?.base;
  }
  return properties;
}
