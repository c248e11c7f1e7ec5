import { create } from "xmlbuilder2";
import type { Annotation, EntityModel, EntitySet, EntityType, StructuralProperty } from "../model/types.ts";
import { vocabulariesOf } from "./vocabularies.ts";

type Element = ReturnType<typeof create>;

/** Writes the model as a CSDL XML document, the body of `$metadata`. Source: OData CSDL XML 4.01. */
export function writeCsdlXml(model: EntityModel, version: "4.0" | "4.01" = "4.0"): string {
  const document = create({ version: "1.0", encoding: "UTF-8" });
  const edmx = document.ele("http://docs.oasis-open.org/odata/ns/edmx", "edmx:Edmx", { Version: version });
  for (const { namespace, xml } of vocabulariesOf(model)) {
    edmx.ele("edmx:Reference", { Uri: xml }).ele("edmx:Include", { Namespace: namespace });
  }
  const schema = edmx
    .ele("edmx:DataServices")
    .ele("http://docs.oasis-open.org/odata/ns/edm", "Schema", { Namespace: model.namespace });
  for (const type of new Set(model.entitySets.map((set) => set.type))) writeEntityType(schema, type);
  const container = schema.ele("EntityContainer", { Name: model.container });
  for (const set of model.entitySets) writeEntitySet(container, set, model.namespace);
  return document.end({ prettyPrint: true });
}

function writeEntityType(schema: Element, type: EntityType): void {
  const element = schema.ele("EntityType", { Name: type.name });
  const key = element.ele("Key");
  for (const name of type.key) key.ele("PropertyRef", { Name: name });
  for (const property of type.properties.values()) writeProperty(element, property);
  writeAnnotations(element, type.annotations);
}

function writeProperty(parent: Element, property: StructuralProperty): void {
  const { name, type, collection, nullable, maxLength, precision, scale, srid, annotations } = property;
  const element = parent.ele("Property", {
    Name: name,
    Type: collection ? `Collection(${type})` : type,
    ...(nullable ? {} : { Nullable: "false" }),
    ...(maxLength === undefined ? {} : { MaxLength: maxLength }),
    ...(precision === undefined ? {} : { Precision: precision }),
    // Without the attribute, a decimal would have no digits after the point.
    ...(scale === undefined && type !== "Edm.Decimal" ? {} : { Scale: scale ?? "variable" }),
    ...(srid === undefined ? {} : { SRID: srid }),
  });
  writeAnnotations(element, annotations);
}

function writeEntitySet(container: Element, set: EntitySet, namespace: string): void {
  const element = container.ele("EntitySet", { Name: set.name, EntityType: `${namespace}.${set.type.name}` });
  writeAnnotations(element, set.annotations);
}

/** Attribute of an `Annotation` element that holds a value, by the JavaScript type of the value. */
const valueAttributes = { string: "String", number: "Int", boolean: "Bool" } as const;

function writeAnnotations(parent: Element, annotations: readonly Annotation[] = []): void {
  for (const { term, value } of annotations) {
    const attribute = valueAttributes[typeof value as keyof typeof valueAttributes];
    parent.ele("Annotation", { Term: term, [attribute]: String(value) });
  }
}
