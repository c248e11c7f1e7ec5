import { z } from "zod";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { validate } from "../endpoint/read-request.ts";
import { replyOf } from "../endpoint/routes.ts";
import { Refused } from "../errors.ts";
import { fieldCompleteness } from "../v1/field-completeness.ts";
import { listing } from "../v1/listing.ts";
import { isPropertyId, physicalProperty } from "../v1/property.ts";
import type { V1Services } from "../v1/services.ts";
import { mostText } from "./query-tools.ts";
import { bodyText } from "./read-odata.ts";
import { defineTool, type ToolCall } from "./tool.ts";

type Texts = Readonly<Record<string, string | undefined>>;

/** Answers a request to a JSON endpoint as its route does. Returns `data` of its answer. */
async function callEndpoint(
  endpoint: Endpoint<V1Services>,
  { params, query }: { readonly params: Texts; readonly query: Texts },
  { scope, keyId, services, stages, clientGone }: ToolCall,
): Promise<unknown> {
  const caller = { scope, apiKey: keyId };
  const answer = await endpoint.handle(
    {
      caller,
      entitlementState: "active",
      params: validate(endpoint.params, params),
      query: validate(endpoint.query, query),
      body: undefined,
      header: () => undefined,
      stages,
      clientGone,
      whenClosed: () => {},
      note: () => {},
      reply: replyOf(endpoint, caller),
    },
    services,
  );
  return (JSON.parse(bodyText(answer)) as { readonly data: unknown }).data;
}

const bounded = (text: string): string => {
  if (text.length <= mostText) return text;
  throw new Refused("invalid_request", { reason: "the result is too long: ask for fewer fields" });
};

export const propertyTool = defineTool({
  name: "property",
  description: "One physical property, combined from its listings",
  channel: "api",
  input: { id: z.string().min(1).max(256).describe("Placekey, property id or ListingKey") },
  run: async ({ id }, call) => {
    const known = isPropertyId(id) ? id : await propertyOf(id, call);
    const data = await callEndpoint(
      physicalProperty,
      { params: { id: encodeURIComponent(known) }, query: {} },
      call,
    );
    return bounded(JSON.stringify(data));
  },
});

/** Returns the id of the property that a listing is of. @throws {Refused} `not_found` */
async function propertyOf(listingKey: string, call: ToolCall): Promise<string> {
  const params = { listing_key: encodeURIComponent(listingKey) };
  const { property_id } = (await callEndpoint(listing, { params, query: {} }, call)) as {
    readonly property_id: string | null;
  };
  if (property_id === null) throw new Refused("not_found", { target: "id" });
  return property_id;
}

type Coverage = {
  readonly minimum_cell_size: number;
  readonly cells: readonly {
    readonly originating_system_name: string;
    readonly wire_field: string;
    readonly total_count: number;
    readonly populated_ratio: number | null;
    readonly suppressed: boolean;
  }[];
};

export const coverageTool = defineTool({
  name: "coverage",
  description: "Share of a market's listings that have a value, by field and system",
  channel: "api",
  input: {
    fields: z.array(z.string().max(100)).min(1).max(40),
    geography: z
      .string()
      .max(220)
      .optional()
      .describe("state:TX, zip:78701 or county:TX/Travis; default nation"),
  },
  run: async ({ fields, geography }, call) => {
    const data = (await callEndpoint(
      fieldCompleteness,
      { params: {}, query: { geography } },
      call,
    )) as Coverage;
    const cells = data.cells
      .filter(({ wire_field }) => fields.includes(wire_field))
      .map((cell) => ({
        system: cell.originating_system_name,
        field: cell.wire_field,
        listings: cell.total_count,
        ratio: cell.populated_ratio,
        ...(cell.suppressed ? { suppressed: true } : {}),
      }));
    return bounded(JSON.stringify({ minimum_cell_size: data.minimum_cell_size, cells }));
  },
});
