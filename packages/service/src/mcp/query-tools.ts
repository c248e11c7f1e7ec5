import type { EntitySet } from "@cadastre/odata";
import { z } from "zod";
import { sessionOf } from "../odata/services.ts";
import { readOdata } from "./read-odata.ts";
import { defineTool, type ToolCall } from "./tool.ts";

/** Longest result, in characters: about 6,000 tokens. */
export const mostText = 24_000;

/** Fields that records are shown with where a call names none. */
const usualFields: readonly string[] = [
  "ListingKey",
  "StandardStatus",
  "ListPrice",
  "UnparsedAddress",
  "City",
  "StateOrProvince",
  "PostalCode",
  "BedroomsTotal",
  "BathroomsTotalInteger",
  "LivingArea",
];

/** The set of a call: by default that of listings. */
export const set = z
  .string()
  .regex(/^\w{1,64}$/)
  .default("Property")
  .describe("Default Property");
const condition = z.string().max(8000).optional().describe("OData $filter");

/** Returns the visible set of a name. Undefined if there is none. */
export const visibleSet = (
  name: string,
  { services, settings, scope, stages }: ToolCall,
): EntitySet | undefined =>
  sessionOf(services, settings, { scope, stages }).model.entitySets.find((one) => one.name === name);

/** Returns the usual fields of a set, or the first ones; the key is always among them. */
function fieldsOf({ type }: EntitySet): string {
  const usual = usualFields.filter((name) => type.properties.has(name));
  const names = usual.length > 1 ? usual : [...type.properties.keys()];
  return [...new Set([...type.key, ...names])].slice(0, usualFields.length).join(",");
}

/** The whole lines that fit into a result. */
function fitting(lines: readonly string[]): readonly string[] {
  let length = 0;
  return lines.filter((line) => {
    length += line.length + 1;
    return length <= mostText;
  });
}

export const queryTool = defineTool({
  name: "query",
  description:
    "Records of a set as JSON, without nulls. filter is OData: `City eq 'Austin' and ListPrice lt 5e5`, contains(), in (), has any(), geo.distance(Coordinates,geography'SRID=4326;POINT(-97.7 30.3)') lt 2000 (metres). If an error gives a position, mend the text there. more: raise skip",
  channel: "odata",
  input: {
    set,
    filter: condition,
    select: z.string().max(4000).optional().describe("Fields, comma-separated"),
    orderby: z.string().max(1000).optional().describe("E.g. ListPrice desc"),
    top: z.int().min(1).max(100).default(20),
    skip: z.int().min(0).max(10_000).optional(),
  },
  run: async ({ set: name, filter, select, orderby, top, skip }, call) => {
    const known = visibleSet(name, call);
    const { text, hasMore } = await readOdata(
      `/${name}`,
      {
        $filter: filter,
        $select: select ?? (known && fieldsOf(known)),
        $orderby: orderby,
        $top: top,
        $skip: skip,
        $ignorenulls: "true",
        $format: "jsonl",
      },
      call,
    );
    const lines = text.split("\n").slice(0, -1);
    const shown = fitting(lines);
    const more = hasMore || shown.length < lines.length;
    return `{"rows":[${shown.join(",")}],"more":${more}}`;
  },
});

export const countTool = defineTool({
  name: "count",
  description: "Number of records of a set",
  channel: "odata",
  input: { set, filter: condition },
  run: async ({ set: name, filter }, call) => {
    const { text } = await readOdata(`/${name}/$count`, { $filter: filter }, call);
    return `{"count":${text}}`;
  },
});
