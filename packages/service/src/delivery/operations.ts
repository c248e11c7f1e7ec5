import { maxKeyLength, maxReferenceLength } from "@cadastre/delivery";
import { manifestJsonSchema } from "@cadastre/manifest";
import type { Operation, Parameter, Schema } from "../openapi/operation.ts";

/** Where deliveries lie, and where granted parts are fetched. Source: interface specification, section 4.3. */
export const exportsRoot = "/v1/file-exports";
export const downloadsRoot = "/v1/file-downloads";

/** The one address that a logical grant names. */
export const redemptionPath = `${downloadsRoot}/redeem`;

/** Deliveries of a page of the list: where the request does not say, and at most. */
export const listLimits = { default: 50, most: 500 } as const;

/** Highest number of a part. */
export const maxPart = 2 ** 31 - 1;

const string: Schema = { type: "string" };
const integer: Schema = { type: "integer", minimum: 0 };
const instant: Schema = { type: "string", format: "date-time" };
const sha256: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const json = (schema: Schema) => ({ "application/json": schema });
const envelope = (data: Schema, meta: Readonly<Record<string, Schema>> = {}) =>
  json(object({ data, meta: object({ entitlement_version: integer, ...meta }) }));

const states = [
  "queued",
  "building",
  "sealed",
  "complete",
  "canceled",
  "failed",
  "expired",
  "purged",
] as const;

const created = {
  id: { type: "string", format: "uuid" },
  status: { type: "string", enum: states },
  domain: string,
  deliveryMode: { type: "string", enum: ["pull", "push", "both"] },
} as const;

const listed = {
  ...created,
  subscriptionId: orNull(string),
  generation: integer,
  sequence: integer,
  noChange: { type: "boolean" },
  failure: orNull(object({ code: string })),
  publication: { type: "null" },
  createdAt: instant,
  completedAt: orNull(instant),
  expiresAt: instant,
} as const;

const status = object({ ...listed, progress: object({ parts: integer }) });

const id: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The `id` of a delivery",
  schema: { type: "string", format: "uuid" },
};

const of = (
  method: Operation["method"],
  path: string,
  summary: string,
  gives: Operation["gives"],
  more: Pick<Operation, "status" | "takes" | "parameters"> = {},
): Operation => ({ method, path, tag: "Delivery", summary, gives, ...more });

/** What may be asked of deliveries, by endpoint. */
export const deliveryOperations = {
  create: of(
    "post",
    exportsRoot,
    "Ask for all that the key sees of a domain, as files. The same request again gives the same delivery",
    envelope(object({ ...created, destinationId: orNull(string), createdAt: instant })),
    {
      status: 202,
      takes: json(
        object(
          {
            domain: { type: "string", enum: ["property", "listing", "public_record", "market_report"] },
            deliveryMode: created.deliveryMode,
            idempotencyKey: { type: "string", minLength: 1, maxLength: maxKeyLength },
            destinationId: string,
            profileId: string,
          },
          ["destinationId", "profileId"],
        ),
      ),
    },
  ),
  list: of(
    "get",
    exportsRoot,
    "Deliveries that may be fetched, the last completed first",
    envelope({ type: "array", items: object(listed) }, { count: integer, next_after: orNull(string) }),
    {
      parameters: [
        {
          name: "limit",
          in: "query",
          description: "Deliveries of a page",
          schema: { type: "integer", minimum: 1, maximum: listLimits.most, default: listLimits.default },
          example: 10,
        },
        {
          name: "after",
          in: "query",
          description: "`meta.next_after` of the page before",
          schema: string,
        },
      ],
    },
  ),
  status: of("get", `${exportsRoot}/{id}`, "How far a delivery is", envelope(status), { parameters: [id] }),
  cancel: of(
    "delete",
    `${exportsRoot}/{id}`,
    "Give up a delivery that is not complete",
    envelope(object(listed)),
    { parameters: [id] },
  ),
  manifest: of(
    "get",
    `${exportsRoot}/{id}/manifest`,
    "What a delivery holds. `data` is the manifest, byte for byte",
    envelope(
      { ...manifestJsonSchema() },
      {
        manifest_sha256: sha256,
        signature: object({ protected: string, signature: string }),
      },
    ),
    { parameters: [id] },
  ),
  download: of(
    "get",
    `${exportsRoot}/{id}/download`,
    "Leave to fetch a part, or with 0 the manifest",
    envelope(object({ kind: { const: "logical" }, url: { const: redemptionPath }, bearer_token: string }), {
      expires_at: instant,
    }),
    {
      parameters: [
        id,
        {
          name: "part",
          in: "query",
          required: true,
          description: "Number of a part in the manifest; 0: the manifest",
          schema: { type: "integer", minimum: 0, maximum: maxPart },
          example: 0,
        },
      ],
    },
  ),
  redeem: of(
    "get",
    redemptionPath,
    "Fetch what was granted. `x-api-key` is that of the grant, `Authorization: Bearer` its token",
    { "application/octet-stream": { type: "string", format: "binary" } },
    {
      parameters: [
        {
          name: "authorization",
          in: "header",
          required: true,
          description: "`Bearer` and the `bearer_token` of a grant",
          schema: string,
        },
      ],
    },
  ),
  acknowledge: of(
    "post",
    `${exportsRoot}/{id}/acknowledge`,
    "Say that a delivery was loaded. 200 if it was said before",
    envelope(
      object({
        delivery_id: created.id,
        generation: integer,
        sequence: integer,
        manifest_sha256: sha256,
        customer_reference: string,
        acknowledged_at: instant,
      }),
    ),
    {
      status: 201,
      parameters: [id],
      takes: json(
        object({
          generation: integer,
          sequence: integer,
          manifest_sha256: sha256,
          customer_reference: { type: "string", maxLength: maxReferenceLength },
        }),
      ),
    },
  ),
} as const satisfies Record<string, Operation>;

export type DeliveryEndpoint = keyof typeof deliveryOperations;

/** The keys that manifests are signed with. */
export const keySetOperation: Operation = {
  method: "get",
  path: "/.well-known/jwks.json",
  tag: "Delivery",
  summary: "The public keys that manifests are signed with",
  isOpen: true,
  gives: { "application/json": { type: "object", required: ["keys"] } },
};
