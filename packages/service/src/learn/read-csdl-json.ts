import type { Annotation } from "@cadastre/odata/run";
import { isObject } from "../ingest/entry.ts";
import { annotationText, type CsdlDocument, type CsdlEnumeration, type CsdlProperty } from "./csdl.ts";
import { LearnError } from "./learn-error.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a CSDL JSON document. Source: OData CSDL JSON 4.01.
 *
 * @throws {LearnError} if it is not such a document
 */
export function readCsdlJson(text: string, source: string): CsdlDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new LearnError(`${source} is neither XML nor JSON: ${(cause as Error).message.slice(0, 200)}`, {
      cause,
    });
  }
  if (!isObject(document) || typeof document["$Version"] !== "string")
    throw new LearnError(
      `${source} is JSON without \`$Version\`: give the \`$metadata\` of an OData service, as CSDL XML or CSDL JSON`,
    );
  const entitySets = new Map<string, string>();
  const entityTypes = new Map<string, { base: string | undefined; properties: readonly CsdlProperty[] }>();
  const enumerations = new Map<string, CsdlEnumeration>();
  const definitions = new Map<string, string>();
  for (const [namespace, schema] of objects(document)) {
    const names = [namespace, textOf(schema["$Alias"])].flatMap((name) => name ?? []);
    for (const [child, element] of objects(schema)) {
      const kind = element["$Kind"];
      for (const name of names.map((one) => `${one}.${child}`)) {
        if (kind === "EntityType")
          entityTypes.set(name, { base: textOf(element["$BaseType"]), properties: toProperties(element) });
        if (kind === "EnumType") enumerations.set(name, toEnumeration(element));
        if (kind === "TypeDefinition") definitions.set(name, textOf(element["$UnderlyingType"]) ?? "");
      }
      if (kind !== "EntityContainer") continue;
      for (const [set, { $Type, $Collection }] of objects(element))
        if ($Collection === true) entitySets.set(set, textOf($Type) ?? "");
    }
  }
  if (entitySets.size === 0)
    throw new LearnError(
      `${source} has no entity set: give the \`$metadata\` of a service, not a part of it`,
    );
  return { entitySets, entityTypes, enumerations, definitions };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const facetOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;

/** Returns the members that are model elements: objects, whose names have neither `$` nor `@`. */
const objects = (parent: JsonObject): readonly (readonly [string, JsonObject])[] =>
  Object.entries(parent).flatMap(([name, value]) =>
    isObject(value) && !/[$@]/.test(name) ? [[name, value] as const] : [],
  );

const toProperties = (type: JsonObject): readonly CsdlProperty[] =>
  objects(type)
    .filter(([, { $Kind }]) => $Kind === undefined || $Kind === "Property")
    .map(([name, property]) => ({
      name,
      type: textOf(property["$Type"]) ?? "Edm.String",
      collection: property["$Collection"] === true,
      maxLength: facetOf(property["$MaxLength"]),
      precision: facetOf(property["$Precision"]),
      scale: facetOf(property["$Scale"]),
      annotations: annotationsOf(property, "@"),
    }));

const toEnumeration = (type: JsonObject): CsdlEnumeration => ({
  isFlags: type["$IsFlags"] === true,
  members: Object.entries(type)
    .filter(([name, value]) => typeof value === "number" && !/[$@]/.test(name))
    .map(([name]) => [annotationText(annotationsOf(type, `${name}@`), "StandardName") ?? name, name]),
});

/** Returns the annotations whose members begin with a text: `@` of the element itself, `Active@` of its member `Active`. */
const annotationsOf = (element: JsonObject, start: string): readonly Annotation[] =>
  Object.entries(element).flatMap(([name, value]) =>
    name.startsWith(start) &&
    (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
      ? [{ term: name.slice(start.length), value }]
      : [],
  );
