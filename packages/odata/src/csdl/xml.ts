import type { Annotation, EntityModel, EntitySet, EntityType, StructuralProperty } from "../model/types.ts";
import { vocabulariesOf } from "./vocabularies.ts";
import { type Attributes, element, printDocument, type XmlElement } from "./xml-element.ts";

/** Writes the model as a CSDL XML document, the body of `$metadata`. Source: OData CSDL XML 4.01. */
export function writeCsdlXml(model: EntityModel, version: "4.0" | "4.01" = "4.0"): string {
  const types = [...new Set(model.entitySets.map((set) => set.type))];
  const container = element(
    "EntityContainer",
    { Name: model.container },
    model.entitySets.map((set) => entitySet(set, model.namespace)),
  );
  const schema = element(
    "Schema",
    { xmlns: "http://docs.oasis-open.org/odata/ns/edm", Namespace: model.namespace },
    [...types.map(entityType), container],
  );
  return printDocument(
    element("edmx:Edmx", { "xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", Version: version }, [
      ...references(model),
      element("edmx:DataServices", {}, [schema]),
    ]),
  );
}

const references = (model: EntityModel): readonly XmlElement[] =>
  vocabulariesOf(model).map(({ namespace, xml }) =>
    element("edmx:Reference", { Uri: xml }, [element("edmx:Include", { Namespace: namespace })]),
  );

const entityType = ({ name, key, properties, annotations }: EntityType): XmlElement =>
  element("EntityType", { Name: name }, [
    element(
      "Key",
      {},
      key.map((property) => element("PropertyRef", { Name: property })),
    ),
    ...[...properties.values()].map(toElement),
    ...annotated(annotations),
  ]);

function toElement(property: StructuralProperty): XmlElement {
  const { name, type, collection, nullable, maxLength, precision, scale, srid, annotations } = property;
  const attributes: Attributes = {
    Name: name,
    Type: collection ? `Collection(${type})` : type,
    ...(nullable ? {} : { Nullable: "false" }),
    ...(maxLength === undefined ? {} : { MaxLength: maxLength }),
    ...(precision === undefined ? {} : { Precision: precision }),
    // Without the attribute, a decimal would have no digits after the point.
    ...(scale === undefined && type !== "Edm.Decimal" ? {} : { Scale: scale ?? "variable" }),
    ...(srid === undefined ? {} : { SRID: srid }),
  };
  return element("Property", attributes, annotated(annotations));
}

const entitySet = ({ name, type, annotations }: EntitySet, namespace: string): XmlElement =>
  element("EntitySet", { Name: name, EntityType: `${namespace}.${type.name}` }, annotated(annotations));

/** Attribute of an `Annotation` element that holds a value, by the JavaScript type of the value. */
const valueAttributes = { string: "String", number: "Int", boolean: "Bool" } as const;

const annotated = (annotations: readonly Annotation[] = []): readonly XmlElement[] =>
  annotations.map(({ term, value }) => {
    const attribute = valueAttributes[typeof value as keyof typeof valueAttributes];
    return element("Annotation", { Term: term, [attribute]: String(value) });
  });
