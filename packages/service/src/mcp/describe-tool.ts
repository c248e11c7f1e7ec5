import type { StructuralProperty } from "@cadastre/odata";
import { textLiteral } from "@cadastre/odata/tree";
import { z } from "zod";
import { Refused } from "../errors.ts";
import { sessionOf } from "../odata/services.ts";
import { mostText, set, visibleSet } from "./query-tools.ts";
import { readOdata } from "./read-odata.ts";
import { defineTool, type ToolCall } from "./tool.ts";
import { topicNames, topicOf } from "./topics.ts";

/** Most values of a lookup that are listed. */
const mostValues = 100;

export const describeTool = defineTool({
  name: "describe",
  description: `What the key sees. Without about: sets, and topics of a set's fields. about: a topic (${topicNames.join(", ")}), a field (with its allowed values) or a part of names`,
  channel: "odata",
  input: { set, about: z.string().min(1).max(64).optional() },
  run: async ({ set: name, about }, call) => {
    const found = visibleSet(name, call);
    if (found === undefined) throw new Refused("not_found", { target: "set", allowed: setNames(call) });
    const fields = [...found.type.properties.values()];
    if (about === undefined)
      return JSON.stringify({
        sets: setNames(call),
        set: name,
        key: found.type.key,
        topics: topicsOf(fields),
      });
    const field = found.type.properties.get(about);
    if (field !== undefined)
      return JSON.stringify({ ...toDescription(field), ...(await valuesOf(field, call)) });
    const wanted = about.toLowerCase();
    const isWanted = topicNames.includes(wanted)
      ? ({ name: one }: StructuralProperty) => topicOf(one) === wanted
      : ({ name: one }: StructuralProperty) => one.toLowerCase().includes(wanted);
    const described = fields.filter(isWanted).map((one) => `${one.name} ${typeText(one)}`);
    return JSON.stringify({ set: name, fields: withinText(described) });
  },
});

const setNames = ({ services, settings, scope, stages }: ToolCall): readonly string[] =>
  sessionOf(services, settings, { scope, stages }).model.entitySets.map(({ name }) => name);

/** Returns the number of fields of each topic. */
function topicsOf(fields: readonly StructuralProperty[]): Readonly<Record<string, number>> {
  const counts = new Map(topicNames.map((topic) => [topic, 0]));
  for (const { name } of fields) counts.set(topicOf(name), (counts.get(topicOf(name)) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count > 0));
}

const typeText = ({ type, collection }: StructuralProperty): string =>
  collection ? `[${type.slice("Edm.".length)}]` : type.slice("Edm.".length);

const toDescription = (property: StructuralProperty) => ({
  field: property.name,
  type: typeText(property),
  topic: topicOf(property.name),
});

/** Returns the values that the lookup of a field allows, if it has one and the caller sees lookups. */
async function valuesOf(
  { annotations = [] }: StructuralProperty,
  call: ToolCall,
): Promise<{ readonly values?: readonly unknown[] }> {
  const lookup = annotations.find(({ term }) => term === "RESO.OData.Metadata.LookupName")?.value;
  if (typeof lookup !== "string" || visibleSet("Lookup", call) === undefined) return {};
  const { text } = await readOdata(
    "/Lookup",
    {
      $filter: `LookupName eq ${textLiteral(lookup)}`,
      $select: "LookupValue",
      $top: mostValues,
      $format: "jsonl",
    },
    call,
  );
  const values = text
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly LookupValue: unknown }).LookupValue);
  return { values };
}

function withinText(texts: readonly string[]): readonly string[] {
  let length = 0;
  return texts.filter((text) => {
    length += text.length + 3;
    return length <= mostText;
  });
}
