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

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a CSDL JSON document. Source: OData CSDL JSON 4.01. @throws {CsdlError} */
export function readCsdlJson(text: string): CsdlDocument {
  const document = parse(text);
  const qualify = qualifierOf(aliasesIn(document));
  let container: CsdlDocument["container"];
  const entitySets = new Map<string, CsdlEntitySet>();
  const otherChildren = new Map<string, string>();
  const types = new Map<string, CsdlType>();
  const enumerations = new Map<string, CsdlEnumeration>();
  const definitions = new Map<string, string>();
  for (const [namespace, schema] of objectsIn(document))
    for (const [local, element] of objectsIn(schema)) {
      const kind = element["$Kind"];
      const name = `${namespace}.${local}`;
      if (kind === "EntityType" || kind === "ComplexType") types.set(name, toType(element, qualify));
      if (kind === "EnumType") enumerations.set(name, toEnumeration(element, qualify));
      if (kind === "TypeDefinition") definitions.set(name, textOf(element["$UnderlyingType"]) ?? "");
      if (kind !== "EntityContainer") continue;
      container = { namespace, name: local };
      for (const [own, child] of objectsIn(element))
        if (child["$Collection"] === true) entitySets.set(own, toEntitySet(child, qualify));
        else otherChildren.set(own, kindOfChild(child));
    }
  return { container, entitySets, otherChildren, types, enumerations, definitions };
}

function parse(text: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new CsdlError(
      "invalid_json",
      `the document is neither XML nor JSON: ${(cause as Error).message.slice(0, 200)}`,
    );
  }
  if (isObject(document) && typeof document["$Version"] === "string") return document;
  throw new CsdlError(
    "invalid_csdl",
    "the document is JSON without `$Version`: give the `$metadata` of an OData service, as CSDL XML or CSDL JSON",
  );
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const facetOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;

/** Returns the members that are model elements: objects, whose names have neither `$` nor `@`. */
const objectsIn = (parent: JsonObject): readonly (readonly [string, JsonObject])[] =>
  Object.entries(parent).flatMap(([name, value]) =>
    isObject(value) && !/[$@]/.test(name) ? [[name, value] as const] : [],
  );

/** Returns the texts of an object. */
const textsIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) =>
      typeof one === "string" && !name.includes("@") ? [[name, one]] : [],
    ),
  );

/** Returns the namespaces of a document and of those that it refers to, by alias. */
function aliasesIn(document: JsonObject): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const [namespace, schema] of objectsIn(document))
    aliases.set(textOf(schema["$Alias"]) ?? namespace, namespace);
  const references = isObject(document["$Reference"]) ? Object.values(document["$Reference"]) : [];
  for (const reference of references)
    for (const include of isObject(reference) && Array.isArray(reference["$Include"])
      ? reference["$Include"]
      : [])
      if (isObject(include)) {
        const namespace = textOf(include["$Namespace"]) ?? "";
        aliases.set(textOf(include["$Alias"]) ?? namespace, namespace);
      }
  return aliases;
}

const kindOfChild = (child: JsonObject): string => {
  if (child["$Action"] !== undefined) return "ActionImport";
  return child["$Function"] === undefined ? "Singleton" : "FunctionImport";
};

const toEntitySet = (set: JsonObject, qualify: Qualify): CsdlEntitySet => ({
  type: qualify(textOf(set["$Type"]) ?? ""),
  bindings: textsIn(set["$NavigationPropertyBinding"]),
});

function toType(type: JsonObject, qualify: Qualify): CsdlType {
  const base = textOf(type["$BaseType"]);
  const key = Array.isArray(type["$Key"]) ? (type["$Key"] as readonly unknown[]) : [];
  const members = objectsIn(type);
  return {
    kind: type["$Kind"] === "EntityType" ? "entity" : "complex",
    base: base === undefined ? undefined : qualify(base),
    key: key.map((one) => textOf(one) ?? Object.values(textsIn(one)).join()),
    properties: members
      .filter(([, { $Kind }]) => $Kind === undefined || $Kind === "Property")
      .map(([name, property]) => toProperty(name, property, qualify)),
    navigation: members
      .filter(([, { $Kind }]) => $Kind === "NavigationProperty")
      .map(([name, property]) => toNavigation(name, property, qualify)),
  };
}

const toProperty = (name: string, property: JsonObject, qualify: Qualify): CsdlProperty => ({
  name,
  type: qualify(textOf(property["$Type"]) ?? "Edm.String"),
  collection: property["$Collection"] === true,
  nullable: property["$Nullable"] === true,
  maxLength: facetOf(property["$MaxLength"]),
  precision: facetOf(property["$Precision"]),
  scale: facetOf(property["$Scale"]),
  srid: facetOf(Number(property["$SRID"] ?? Number.NaN)),
  annotations: annotationsAt(property, "@", qualify),
});

const toNavigation = (name: string, property: JsonObject, qualify: Qualify): CsdlNavigation => ({
  name,
  type: qualify(textOf(property["$Type"]) ?? ""),
  collection: property["$Collection"] === true,
  partner: textOf(property["$Partner"]),
  constraints: textsIn(property["$ReferentialConstraint"]),
});

const toEnumeration = (type: JsonObject, qualify: Qualify): CsdlEnumeration => ({
  isFlags: type["$IsFlags"] === true,
  members: Object.entries(type).flatMap(([name, value]) =>
    typeof value === "number" && Number.isInteger(value) && !/[$@]/.test(name)
      ? [{ name, value: BigInt(value), annotations: annotationsAt(type, `${name}@`, qualify) }]
      : [],
  ),
});

/**
 * Returns the annotations with a constant value and without a qualifier, whose members begin with a text: `@` of the element itself, `Active@`
 * of its member `Active`.
 */
const annotationsAt = (element: JsonObject, start: string, qualify: Qualify): readonly Annotation[] =>
  Object.entries(element).flatMap(([name, value]) =>
    name.startsWith(start) &&
    !/[@#]/.test(name.slice(start.length)) &&
    (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
      ? [{ term: qualify(name.slice(start.length)), value }]
      : [],
  );
