import type { Annotation } from "@cadastre/odata/run";
import { annotationText, type CsdlDocument, type CsdlEnumeration, type CsdlProperty } from "./csdl.ts";
import { LearnError } from "./learn-error.ts";

/** Maximum depth of elements. CSDL needs about ten. */
const maxDepth = 64;

/** An XML element as the parser returns it. */
type XmlNode = {
  readonly localName: string | null;
  readonly attributes: Iterable<{ readonly localName: string; readonly value: string }>;
  readonly children: Iterable<XmlNode>;
};

/**
 * Reads a CSDL XML document. Source: OData CSDL XML 4.01.
 *
 * @throws {LearnError} if it is not XML, declares a document type or entities, or holds no schema
 */
export async function readCsdlXml(text: string, source: string): Promise<CsdlDocument> {
  // Without a document type there are no entities, so that nothing is expanded and nothing is fetched.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    throw new LearnError(
      `${source} declares a document type, which CSDL has not: remove \`<!DOCTYPE …>\` and what refers to it`,
    );
  requireShallow(text, source);
  const schemas = [...elements(await parse(text, source), "Schema")];
  if (schemas.length === 0)
    throw new LearnError(
      `${source} is XML without a \`Schema\` element: give the \`$metadata\` of an OData service`,
    );
  const entitySets = new Map<string, string>();
  const entityTypes = new Map<string, { base: string | undefined; properties: readonly CsdlProperty[] }>();
  const enumerations = new Map<string, CsdlEnumeration>();
  const definitions = new Map<string, string>();
  for (const schema of schemas) {
    const names = [attribute(schema, "Namespace"), attribute(schema, "Alias")].flatMap((name) => name ?? []);
    for (const child of schema.children) {
      const own = names.map((namespace) => `${namespace}.${attribute(child, "Name")}`);
      for (const name of own) {
        if (child.localName === "EntityType")
          entityTypes.set(name, { base: attribute(child, "BaseType"), properties: toProperties(child) });
        if (child.localName === "EnumType") enumerations.set(name, toEnumeration(child));
        if (child.localName === "TypeDefinition")
          definitions.set(name, attribute(child, "UnderlyingType") ?? "");
      }
      if (child.localName !== "EntityContainer") continue;
      for (const set of childrenNamed(child, "EntitySet"))
        entitySets.set(attribute(set, "Name") ?? "", attribute(set, "EntityType") ?? "");
    }
  }
  return { entitySets, entityTypes, enumerations, definitions };
}

async function parse(text: string, source: string): Promise<XmlNode> {
  // It takes a tenth of the time in which the service starts, and only sources of feeds need it.
  const { create } = await import("xmlbuilder2");
  try {
    return create(text).root().node as unknown as XmlNode;
  } catch (cause) {
    throw new LearnError(`${source} is not XML: ${(cause as Error).message.split("\n")[0]?.slice(0, 200)}`, {
      cause,
    });
  }
}

/** @throws {LearnError} if elements are nested too deeply, before a tree is built of them */
function requireShallow(text: string, source: string): void {
  let depth = 0;
  for (const [tag] of text.matchAll(/<\/?[A-Za-z_](?:"[^"]*"|'[^']*'|[^<>"'])*>/g)) {
    if (tag.startsWith("</")) depth--;
    else if (!tag.endsWith("/>") && ++depth > maxDepth)
      throw new LearnError(
        `${source} nests elements deeper than ${maxDepth}: give the \`$metadata\` of an OData service`,
      );
  }
}

function* elements(node: XmlNode, name: string): Generator<XmlNode> {
  if (node.localName === name) yield node;
  else for (const child of node.children) yield* elements(child, name);
}

const childrenNamed = (node: XmlNode, name: string): readonly XmlNode[] =>
  [...node.children].filter(({ localName }) => localName === name);

const attribute = (node: XmlNode, name: string): string | undefined =>
  [...node.attributes].find(({ localName }) => localName === name)?.value;

const toProperties = (type: XmlNode): readonly CsdlProperty[] =>
  childrenNamed(type, "Property").map((property) => {
    const written = attribute(property, "Type") ?? "";
    const [, item] = /^Collection\((.+)\)$/.exec(written) ?? [];
    return {
      name: attribute(property, "Name") ?? "",
      type: item ?? written,
      collection: item !== undefined,
      maxLength: facet(property, "MaxLength"),
      precision: facet(property, "Precision"),
      // A decimal without the attribute has no digits after the point.
      scale: facet(property, "Scale") ?? (isWhole(property, written) ? 0 : undefined),
      annotations: annotationsOf(property),
    };
  });

const isWhole = (property: XmlNode, type: string): boolean =>
  type === "Edm.Decimal" &&
  attribute(property, "Scale") === undefined &&
  attribute(property, "Precision") !== undefined;

function facet(property: XmlNode, name: string): number | undefined {
  const text = attribute(property, name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const toEnumeration = (type: XmlNode): CsdlEnumeration => ({
  isFlags: attribute(type, "IsFlags") === "true",
  members: childrenNamed(type, "Member").map((member) => {
    const name = attribute(member, "Name") ?? "";
    return [annotationText(annotationsOf(member), "StandardName") ?? name, name];
  }),
});

/** Values of annotations by the attribute that holds them. */
const annotationValues: Readonly<Record<string, (text: string) => Annotation["value"]>> = {
  String: (text) => text,
  Bool: (text) => text === "true",
  Int: Number,
};

const annotationsOf = (node: XmlNode): readonly Annotation[] =>
  childrenNamed(node, "Annotation").flatMap((annotation): readonly Annotation[] => {
    const term = attribute(annotation, "Term");
    const [kind] = Object.keys(annotationValues).filter((name) => attribute(annotation, name) !== undefined);
    if (term === undefined || kind === undefined) return [];
    const read = annotationValues[kind] as (text: string) => Annotation["value"];
    return [{ term, value: read(attribute(annotation, kind) ?? "") }];
  });
