import type { Annotation } from "../model/types.ts";
import {
  type CsdlDocument,
  type CsdlEntitySet,
  type CsdlEnumeration,
  CsdlError,
  type CsdlNavigation,
  type CsdlProperty,
  type CsdlType,
  type Qualify,
  qualifierOf,
} from "./csdl-document.ts";
import { readXml, type XmlNode } from "./xml-reader.ts";

/** Reads a CSDL XML document. Source: OData CSDL XML 4.01. @throws {CsdlError} */
export function readCsdlXml(text: string): CsdlDocument {
  const root = readXml(text);
  const schemas = [...elements(root, "Schema")];
  if (schemas.length === 0)
    throw new CsdlError(
      "invalid_csdl",
      "the document is XML without a `Schema` element: give the `$metadata` of an OData service",
    );
  const aliases = new Map(
    [...schemas, ...elements(root, "Include")].flatMap(({ attributes }) => {
      const alias = attributes.get("Alias");
      return alias === undefined ? [] : [[alias, attributes.get("Namespace") ?? alias] as const];
    }),
  );
  const qualify = qualifierOf(aliases);
  let container: CsdlDocument["container"];
  const entitySets = new Map<string, CsdlEntitySet>();
  const otherChildren = new Map<string, string>();
  const types = new Map<string, CsdlType>();
  const enumerations = new Map<string, CsdlEnumeration>();
  const definitions = new Map<string, string>();
  for (const schema of schemas) {
    const namespace = schema.attributes.get("Namespace") ?? "";
    for (const child of schema.children) {
      const local = child.attributes.get("Name") ?? "";
      const name = `${namespace}.${local}`;
      if (child.name === "EntityType" || child.name === "ComplexType")
        types.set(name, toType(child, qualify));
      if (child.name === "EnumType") enumerations.set(name, toEnumeration(child, qualify));
      if (child.name === "TypeDefinition")
        definitions.set(name, child.attributes.get("UnderlyingType") ?? "");
      if (child.name !== "EntityContainer") continue;
      container = { namespace, name: local };
      for (const one of child.children) {
        const own = one.attributes.get("Name");
        if (own === undefined) continue;
        if (one.name === "EntitySet") entitySets.set(own, toEntitySet(one, qualify));
        else otherChildren.set(own, one.name);
      }
    }
  }
  return { container, entitySets, otherChildren, types, enumerations, definitions };
}

function* elements(node: XmlNode, name: string): Generator<XmlNode> {
  if (node.name === name) yield node;
  else for (const child of node.children) yield* elements(child, name);
}

const childrenNamed = (node: XmlNode, name: string): readonly XmlNode[] =>
  node.children.filter((child) => child.name === name);

/** Returns pairs of attributes of the children with a name. */
const pairsOf = (node: XmlNode, name: string, key: string, value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    childrenNamed(node, name).map(({ attributes }) => [
      attributes.get(key) ?? "",
      attributes.get(value) ?? "",
    ]),
  );

const toEntitySet = (set: XmlNode, qualify: Qualify): CsdlEntitySet => ({
  type: qualify(set.attributes.get("EntityType") ?? ""),
  bindings: pairsOf(set, "NavigationPropertyBinding", "Path", "Target"),
});

function toType(type: XmlNode, qualify: Qualify): CsdlType {
  const base = type.attributes.get("BaseType");
  return {
    kind: type.name === "EntityType" ? "entity" : "complex",
    base: base === undefined ? undefined : qualify(base),
    key: childrenNamed(type, "Key").flatMap((key) =>
      childrenNamed(key, "PropertyRef").map(({ attributes }) => attributes.get("Name") ?? ""),
    ),
    properties: childrenNamed(type, "Property").map((property) => toProperty(property, qualify)),
    navigation: childrenNamed(type, "NavigationProperty").map((property) => toNavigation(property, qualify)),
  };
}

/** Splits a type: `Collection(Edm.String)` → `Edm.String`, true. */
function typeIn({ attributes }: XmlNode, qualify: Qualify): Pick<CsdlProperty, "type" | "collection"> {
  const written = attributes.get("Type") ?? "";
  const [, item] = /^Collection\((.+)\)$/.exec(written) ?? [];
  return { type: qualify(item ?? written), collection: item !== undefined };
}

function toProperty(property: XmlNode, qualify: Qualify): CsdlProperty {
  const { attributes } = property;
  const typed = typeIn(property, qualify);
  const precision = facetIn(property, "Precision");
  // A decimal without the attribute has no digits after the point. Documents that state neither mean any number of them.
  const isWhole =
    typed.type === "Edm.Decimal" && attributes.get("Scale") === undefined && precision !== undefined;
  return {
    name: attributes.get("Name") ?? "",
    ...typed,
    nullable: attributes.get("Nullable") !== "false",
    maxLength: facetIn(property, "MaxLength"),
    precision,
    scale: isWhole ? 0 : facetIn(property, "Scale"),
    srid: facetIn(property, "SRID"),
    annotations: annotationsIn(property, qualify),
  };
}

function facetIn({ attributes }: XmlNode, name: string): number | undefined {
  const text = attributes.get(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const toNavigation = (property: XmlNode, qualify: Qualify): CsdlNavigation => ({
  name: property.attributes.get("Name") ?? "",
  ...typeIn(property, qualify),
  partner: property.attributes.get("Partner"),
  constraints: pairsOf(property, "ReferentialConstraint", "Property", "ReferencedProperty"),
});

const toEnumeration = (type: XmlNode, qualify: Qualify): CsdlEnumeration => ({
  isFlags: type.attributes.get("IsFlags") === "true",
  members: childrenNamed(type, "Member").map((member) => {
    const value = member.attributes.get("Value");
    return {
      name: member.attributes.get("Name") ?? "",
      value: value !== undefined && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined,
      annotations: annotationsIn(member, qualify),
    };
  }),
});

/** Values of annotations by the attribute that holds them. */
const annotationValues: Readonly<Record<string, (text: string) => Annotation["value"]>> = {
  String: (text) => text,
  Bool: (text) => text === "true",
  Int: Number,
};

/** Returns the annotations with a constant value and without a qualifier. */
const annotationsIn = (node: XmlNode, qualify: Qualify): readonly Annotation[] =>
  childrenNamed(node, "Annotation").flatMap(({ attributes }): readonly Annotation[] => {
    const term = attributes.get("Term");
    const [kind] = Object.keys(annotationValues).filter((name) => attributes.has(name));
    if (term === undefined || kind === undefined || attributes.has("Qualifier")) return [];
    const read = annotationValues[kind] as (text: string) => Annotation["value"];
    return [{ term: qualify(term), value: read(attributes.get(kind) ?? "") }];
  });
