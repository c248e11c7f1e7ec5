import type { Operation, Schema } from "../http/operation.ts";
import { defaultGeography, geographyForm, geographyTypes } from "./geography.ts";

/** Root path of the JSON endpoints. Source: interface specification, section 9. */
export const v1Root = "/v1";

/** Path of the exports. Source: interface specification, section 4.3. */
export const fileExportsPath = `${v1Root}/file-exports`;

/** Path templates of the JSON endpoints. Source: interface specification, section 4.2. */
export const v1Paths = {
  property: `${v1Root}/properties/{id}`,
  /** Not in the specification. */
  listing: `${v1Root}/listings/{listing_key}`,
  fieldCompleteness: `${v1Root}/field-completeness`,
  accountResources: `${v1Root}/account/resources`,
  mlsProfiles: `${v1Root}/mls-profiles`,
} as const;

export type V1Endpoint = keyof typeof v1Paths;

const string: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const boolean: Schema = { type: "boolean" };
const number: Schema = { type: ["number", "null"] };
const uuid: Schema = { type: "string", format: "uuid" };
const uri: Schema = { type: "string", format: "uri" };
const list = (items: Schema): Schema => ({ type: "array", items });
/** Returns the schema of an object in which every property is required. */
const object = (properties: Schema, open = false): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...(open ? {} : { additionalProperties: false }),
});

const meta = { entitlement_version: integer };
const envelope = (data: Schema, more: Schema = {}): Operation["gives"] => ({
  "application/json": object({ data, meta: object({ ...meta, ...more }) }),
});

const resources = list(object({ name: string, key: string, collection: string }));
const dataset = { dataset_id: uuid, originating_system_name: string };

const inQuery = (name: string, description: string, schema: Schema) =>
  ({ name, in: "query", description, schema }) as const;

const read = (
  endpoint: V1Endpoint,
  summary: string,
  gives: Operation["gives"],
  parameters?: Operation["parameters"],
): Operation => ({
  method: "get",
  path: v1Paths[endpoint],
  tag: "JSON",
  summary,
  ...(parameters === undefined ? {} : { parameters }),
  gives,
});

/** OpenAPI operation of each endpoint. The type makes the compiler refuse a missing one. */
export const v1Operations: Readonly<Record<V1Endpoint, Operation>> = {
  property: read(
    "property",
    "One physical property, from its listings that the key sees",
    envelope(
      object({
        id: string,
        domain: { const: "listing" },
        version: { type: "string", pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" },
        // Attributes of fields that the key may not see are left out.
        attributes: {
          type: "object",
          properties: {
            status: { type: ["string", "null"] },
            list_price: number,
            bedrooms: number,
            bathrooms: number,
            osn: string,
          },
        },
      }),
    ),
    [
      {
        name: "id",
        in: "path",
        required: true,
        description: "A Placekey, or `prov:<ULID>`",
        schema: { type: "string", minLength: 1, maxLength: 256 },
        example: "222-222@5vg-82n-kzz",
      },
    ],
  ),
  listing: read(
    "listing",
    "The property that a listing is of (beyond the specification)",
    // Null if the key may not see the fields that identify the property.
    envelope(object({ listing_key: string, property_id: { type: ["string", "null"] } })),
    [
      {
        name: "listing_key",
        in: "path",
        required: true,
        description: "A `ListingKey`",
        schema: { type: "string", minLength: 1, maxLength: 256 },
        example: "GSM_10000111",
      },
    ],
  ),
  fieldCompleteness: read(
    "fieldCompleteness",
    "How many listings of a market have a value, by field",
    envelope(
      object({
        geography_type: { enum: geographyTypes },
        geography_id: string,
        reso_dd_version: string,
        minimum_cell_size: integer,
        cells: list(
          object({
            source_id: string,
            originating_system_name: string,
            canonical_field: string,
            wire_field: string,
            total_count: integer,
            populated_count: integer,
            populated_ratio: { type: ["number", "null"], minimum: 0, maximum: 1 },
            suppressed: boolean,
          }),
        ),
      }),
    ),
    [
      inQuery("geography", "The market", {
        type: "string",
        pattern: geographyForm.source,
        default: defaultGeography,
      }),
      inQuery("source", "One ingestion source", string),
      inQuery("osn", "One `OriginatingSystemName`", string),
    ],
  ),
  accountResources: read(
    "accountResources",
    "What the entitlement of the key grants",
    envelope(
      object({
        customer_id: string,
        entitlement_version: integer,
        // An expired entitlement grants nothing.
        entitlement_state: { enum: ["active", "expired"] },
        products: list(string),
        regions: list(object({ kind: string, value: string })),
        datasets: list(
          object({
            ...dataset,
            display_name: string,
            resources,
            links: object({ metadata: string, service: string, mls_profile: string }),
          }),
        ),
        channels: object({ api: boolean, odata: boolean, file_delivery: boolean }),
        limits: object({
          requests_per_second: integer,
          concurrent_queries: integer,
          scan_seconds: integer,
          query_weight: integer,
          open_exports: integer,
        }),
      }),
    ),
  ),
  mlsProfiles: read(
    "mlsProfiles",
    "How listings of each approved dataset are to be presented",
    envelope(
      list(
        object({
          ...dataset,
          resources,
          originating_system_full_name: string,
          compliance: object({
            disclaimer: string,
            logo_url: uri,
            rules_url: uri,
            required_update_frequency_hours: integer,
          }),
        }),
      ),
      { count: integer },
    ),
  ),
};
