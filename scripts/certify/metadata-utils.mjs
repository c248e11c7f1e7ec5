/**
 * Stand-in for `@reso-standards/reso-metadata-utils`, which `@reso-standards/reso-certification` 0.10.6 imports and npm does not have. It reads
 * what the tool needs of `$metadata`. It checks no semantics: `validateCsdl` accepts everything.
 */
import { XMLParser } from "fast-xml-parser";

const listed = new Set([
  "Schema",
  "EntityType",
  "ComplexType",
  "EnumType",
  "Property",
  "NavigationProperty",
  "PropertyRef",
  "EntitySet",
  "Member",
  "Annotation",
]);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  isArray: (name, _path, _isLeaf, isAttribute) => !isAttribute && listed.has(name),
});

const collection = /^Collection\((.*)\)$/;
const lastOf = (name) => name.split(".").at(-1);

export const extractTypeName = (type) => lastOf(collection.exec(type)?.[1] ?? type);

/** Annotations with a constant value, by their terms. */
const annotationsOf = ({ Annotation: all = [] }) =>
  Object.fromEntries(
    all.flatMap(({ Term, String: text, Bool, Int }) =>
      (text ?? Bool ?? Int) === undefined ? [] : [[Term, text ?? Bool ?? Int]],
    ),
  );

const numberOf = (text) => (text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text));

const toProperty = (node) => ({
  name: node.Name,
  type: node.Type,
  nullable: node.Nullable !== "false",
  maxLength: numberOf(node.MaxLength),
  precision: numberOf(node.Precision),
  scale: numberOf(node.Scale),
  annotations: annotationsOf(node),
});

const toNavigation = (node) => ({
  name: node.Name,
  type: node.Type,
  isCollection: collection.test(node.Type),
  entityTypeName: extractTypeName(node.Type),
  annotations: annotationsOf(node),
});

const toType = (node) => ({
  name: node.Name,
  key: (node.Key?.PropertyRef ?? []).map(({ Name }) => Name),
  properties: (node.Property ?? []).map(toProperty),
  navigationProperties: (node.NavigationProperty ?? []).map(toNavigation),
});

const toEnum = (node) => ({
  name: node.Name,
  isFlags: node.IsFlags === "true",
  members: (node.Member ?? []).map((member) => ({
    name: member.Name,
    value: member.Value,
    annotations: annotationsOf(member),
  })),
});

export function parseCsdlXml(xml) {
  const schemas = parser.parse(xml)["edmx:Edmx"]["edmx:DataServices"].Schema;
  const all = (kind) => schemas.flatMap((schema) => schema[kind] ?? []);
  const [container] = all("EntityContainer");
  return {
    namespace: schemas[0].Namespace,
    entityTypes: all("EntityType").map(toType),
    complexTypes: all("ComplexType").map(toType),
    enumTypes: all("EnumType").map(toEnum),
    ...(container && {
      entityContainer: {
        name: container.Name,
        entitySets: (container.EntitySet ?? []).map(({ Name, EntityType }) => ({
          name: Name,
          entityType: EntityType,
        })),
      },
    }),
  };
}

export const validateCsdl = () => ({ valid: true, errors: [] });

const facetsOf = ({ maxLength, precision, scale }) =>
  Object.fromEntries(
    Object.entries({ maxLength, precision, scale }).filter(([, value]) => value !== undefined),
  );

const toList = (annotations) => Object.entries(annotations).map(([term, value]) => ({ term, value }));

export function generateMetadataReport(xml, version) {
  const { entityTypes, enumTypes, namespace } = parseCsdlXml(xml);
  const fields = entityTypes.flatMap(({ name: resourceName, properties, navigationProperties }) => [
    ...properties.map((property) => ({
      resourceName,
      fieldName: property.name,
      type: property.type,
      nullable: property.nullable,
      ...(collection.test(property.type) ? { isCollection: true } : {}),
      ...facetsOf(property),
      annotations: toList(property.annotations),
    })),
    ...navigationProperties.map((navigation) => ({
      resourceName,
      fieldName: navigation.name,
      type: `${namespace}.${navigation.entityTypeName}`,
      typeName: navigation.entityTypeName,
      nullable: true,
      isCollection: navigation.isCollection,
      isExpansion: true,
      annotations: toList(navigation.annotations),
    })),
  ]);
  const lookups = enumTypes.flatMap(({ name, members }) =>
    members.map((member) => ({
      lookupName: `${namespace}.${name}`,
      lookupValue: member.name,
      type: "Edm.Int32",
      annotations: toList(member.annotations),
    })),
  );
  const resources = entityTypes.map(({ name }) => ({ resourceName: name }));
  return {
    description: "RESO Data Dictionary Metadata Report",
    version,
    generatedOn: new Date().toISOString(),
    resources,
    fields,
    lookups,
  };
}

export const serializeMetadataReport = (_schema, version) => ({
  version,
  resources: [],
  fields: [],
  lookups: [],
});

/** An answer to `$metadata` that is no success. */
export class MetadataFetchError extends Error {
  constructor(status, statusText) {
    super(`$metadata: ${status} ${statusText}`);
    this.name = "MetadataFetchError";
    this.status = status;
    this.statusCode = status;
  }
}

export async function fetchRawMetadataWithVersion(url, token, { useFormatParam = true } = {}) {
  const response = await fetch(`${url}/$metadata${useFormatParam ? "?$format=application/xml" : ""}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/xml" },
  });
  if (!response.ok) throw new MetadataFetchError(response.status, response.statusText);
  return { xml: await response.text(), odataVersion: response.headers.get("odata-version") ?? undefined };
}

export const fetchRawMetadata = async (...args) => (await fetchRawMetadataWithVersion(...args)).xml;

/** Returns the names of the members in a value of a flags enumeration. */
export function decodeFlagsValue({ members }, raw) {
  if (raw === undefined || raw === null) return [];
  if (!/^\d+$/.test(String(raw)))
    return String(raw)
      .split(",")
      .map((name) => name.trim());
  return members.filter(({ value }) => (BigInt(raw) & BigInt(value ?? 0)) !== 0n).map(({ name }) => name);
}
