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
import { type Attributes, element, printDocument, textElement, type XmlElement } from "./xml-element.ts";

/** Writes the model as a CSDL XML document, the body of `$metadata`. Source: OData CSDL XML 4.01. */
export function writeCsdlXml(model: EntityModel, version: "4.0" | "4.01" = "4.0"): string {
  const { namespace } = model;
  const { structured, enums } = schemaTypesOf(model);
  const container = element(
    "EntityContainer",
    { Name: model.container },
    model.entitySets.map((set) => entitySet(set, model)),
  );
  const own = [
    ...(enums.get(namespace) ?? []).map(enumType),
    ...structured.map((type) => structuredType(type, namespace)),
    container,
  ];
  const others = [...enums].filter(([name]) => name !== namespace);
  return printDocument(
    element("edmx:Edmx", { "xmlns:edmx": "http://docs.oasis-open.org/odata/ns/edmx", Version: version }, [
      ...references(model),
      element("edmx:DataServices", {}, [
        schema(namespace, own),
        ...others.map(([name, types]) => schema(name, types.map(enumType))),
      ]),
    ]),
  );
}

const references = (model: EntityModel): readonly XmlElement[] =>
  vocabulariesOf(model).map(({ namespace, xml }) =>
    element("edmx:Reference", { Uri: xml }, [element("edmx:Include", { Namespace: namespace })]),
  );

const schema = (namespace: string, children: readonly XmlElement[]): XmlElement =>
  element("Schema", { xmlns: "http://docs.oasis-open.org/odata/ns/edm", Namespace: namespace }, children);

const enumType = (type: EnumType): XmlElement =>
  element(
    "EnumType",
    { Name: splitName(type.name)[1], ...(type.isFlags ? { IsFlags: "true" } : {}) },
    numberedMembers(type).map(([name, value]) => element("Member", { Name: name, Value: value })),
  );

function structuredType(type: StructuredType, namespace: string): XmlElement {
  const properties = [
    ...[...type.properties.values()].map(toElement),
    ...structuredOf(type).map((property) => structuredProperty(property, namespace)),
  ];
  if (!isEntityType(type)) return element("ComplexType", { Name: type.name }, properties);
  const key = element(
    "Key",
    {},
    type.key.map((property) => element("PropertyRef", { Name: property })),
  );
  return element("EntityType", { Name: type.name }, [key, ...properties, ...annotated(type.annotations)]);
}

function structuredProperty(
  { name, target, collection, partner, constraints = {} }: StructuredProperty,
  namespace: string,
): XmlElement {
  const type = target();
  const qualified = `${namespace}.${type.name}`;
  return element(
    isEntityType(type) ? "NavigationProperty" : "Property",
    {
      Name: name,
      Type: collection ? `Collection(${qualified})` : qualified,
      ...(partner === undefined ? {} : { Partner: partner }),
    },
    Object.entries(constraints).map(([own, other]) =>
      element("ReferentialConstraint", { Property: own, ReferencedProperty: other }),
    ),
  );
}

function toElement(property: StructuralProperty): XmlElement {
  const { name, type, enumType: named, collection, nullable, annotations } = property;
  const { maxLength, precision, scale, srid } = property;
  const single = named?.name ?? type;
  const attributes: Attributes = {
    Name: name,
    Type: collection ? `Collection(${single})` : single,
    ...(nullable ? {} : { Nullable: "false" }),
    ...(maxLength === undefined ? {} : { MaxLength: maxLength }),
    ...(precision === undefined ? {} : { Precision: precision }),
    // Without the attribute, a decimal would have no digits after the point.
    ...(scale === undefined && type !== "Edm.Decimal" ? {} : { Scale: scale ?? "variable" }),
    ...(srid === undefined ? {} : { SRID: srid }),
  };
  return element("Property", attributes, annotated(annotations));
}

const entitySet = ({ name, type, annotations }: EntitySet, model: EntityModel): XmlElement =>
  element("EntitySet", { Name: name, EntityType: `${model.namespace}.${type.name}` }, [
    ...bindingsOf(type, model).map(([path, target]) =>
      element("NavigationPropertyBinding", { Path: path, Target: target }),
    ),
    ...annotated(annotations),
  ]);

/** Attribute of an element that holds a constant, by the JavaScript type of the constant. */
const valueAttributes = { string: "String", number: "Int", boolean: "Bool" } as const;

/** Elements of the texts in a collection that is a property of an annotation, where they are paths. Source: OData Capabilities Vocabulary. */
const pathElements: Readonly<Record<string, string>> = { ExpandableProperties: "NavigationPropertyPath" };

const annotated = (annotations: readonly Annotation[] = []): readonly XmlElement[] =>
  annotations.map(({ term, value }) => valued("Annotation", { Term: term }, value));

/** Returns an element that holds the value of an annotation, or of a property of it. */
function valued(name: string, attributes: Attributes, value: Annotation["value"]): XmlElement {
  if (Array.isArray(value)) {
    const itemName = pathElements[String(attributes["Property"])] ?? "String";
    const items = (value as readonly string[]).map((item) => textElement(itemName, item));
    return element(name, attributes, [element("Collection", {}, items)]);
  }
  if (typeof value === "object") {
    const values = Object.entries(value).map(([property, one]) =>
      valued("PropertyValue", { Property: property }, one),
    );
    return element(name, attributes, [element("Record", {}, values)]);
  }
  const attribute = valueAttributes[typeof value as keyof typeof valueAttributes];
  return element(name, { ...attributes, [attribute]: String(value) });
}
