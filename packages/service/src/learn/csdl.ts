import { type CsdlDocument, type CsdlProperty, withInherited } from "@cadastre/odata/csdl";
import type { Annotation } from "@cadastre/odata/run";
import type { FeedField, FeedLookupValue, FeedSchema } from "./feed-schema.ts";

/** Returns the value of an annotation by the last name of its term, since documents use several aliases of RESO's namespace. */
function annotationText(annotations: readonly Annotation[], name: string): string | undefined {
  const found = annotations.find(({ term }) => term.slice(term.lastIndexOf(".") + 1) === name);
  return typeof found?.value === "string" ? found.value : undefined;
}

/** Returns the fields and lookups of a document. */
export function schemaOfCsdl(document: CsdlDocument): FeedSchema {
  const lookups = new Map<string, readonly FeedLookupValue[]>();
  const fields = [...document.entitySets].flatMap(([resource, set]) =>
    (withInherited(document, set.type)?.properties ?? []).map((property) => {
      const { name, annotations } = property;
      const type = document.definitions.get(property.type) ?? property.type;
      const enumeration = document.enumerations.get(type);
      const lookup =
        annotationText(annotations, "LookupName") ?? (enumeration && type.slice(type.lastIndexOf(".") + 1));
      if (enumeration !== undefined && lookup !== undefined)
        lookups.set(
          lookup,
          enumeration.members.map((member) => [
            annotationText(member.annotations, "StandardName") ?? member.name,
            member.name,
          ]),
        );
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
