import { maxKeyLength, maxReferenceLength } from "@cadastre/delivery";
import { manifestJsonSchema } from "@cadastre/manifest";
import type { Operation } from "../http/operation.ts";
import {
  created,
  envelope,
  idParameter,
  instant,
  integer,
  json,
  limitParameter,
  listed,
  listedDelivery,
  object,
  operation,
  orNull,
  sha256Schema,
  string,
} from "./schemas.ts";

// Paths of deliveries, and of granted parts. Source: interface specification, section 4.3.
export const exportsRoot = "/v1/file-exports";
export const downloadsRoot = "/v1/file-downloads";

/** Path in every logical grant. */
export const redemptionPath = `${downloadsRoot}/redeem`;

/** Schema of a grant. The second kind is only used outside of production, with `CADASTRE_GRANTS=direct_https`. */
const grant = {
  oneOf: [
    object({ kind: { const: "logical" }, url: { const: redemptionPath }, bearer_token: string }),
    object({ kind: { const: "direct_https" }, url: { type: "string", format: "uri" } }),
  ],
};

/** Highest number of a part. */
export const maxPart = 2 ** 31 - 1;

const status = object({ ...listed, progress: object({ parts: integer }) });

const id = idParameter("delivery");

/** OpenAPI operations of deliveries, by endpoint. */
export const deliveryOperations = {
  create: operation(
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
  list: operation(
    "get",
    exportsRoot,
    "Deliveries that may be fetched, the last completed first",
    envelope({ type: "array", items: listedDelivery }, { count: integer, next_after: orNull(string) }),
    {
      parameters: [
        limitParameter("Deliveries of a page"),
        {
          name: "after",
          in: "query",
          description: "`meta.next_after` of the page before",
          schema: string,
        },
      ],
    },
  ),
  status: operation("get", `${exportsRoot}/{id}`, "How far a delivery is", envelope(status), {
    parameters: [id],
  }),
  cancel: operation(
    "delete",
    `${exportsRoot}/{id}`,
    "Give up a delivery that is not complete",
    envelope(listedDelivery),
    { parameters: [id] },
  ),
  manifest: operation(
    "get",
    `${exportsRoot}/{id}/manifest`,
    "What a delivery holds. `data` is the manifest, byte for byte",
    envelope(
      { ...manifestJsonSchema() },
      {
        manifest_sha256: sha256Schema,
        signature: object({ protected: string, signature: string }),
      },
    ),
    { parameters: [id] },
  ),
  download: operation(
    "get",
    `${exportsRoot}/{id}/download`,
    "Leave to fetch a part, or with 0 the manifest. 503 `part_rebuilding` while a damaged part is rebuilt, 410 `part_lost` if it cannot be",
    envelope(grant, { expires_at: instant }),
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
  redeem: operation(
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
  acknowledge: operation(
    "post",
    `${exportsRoot}/{id}/acknowledge`,
    "Say that a delivery was loaded. 200 if it was said before",
    envelope(
      object({
        delivery_id: created.id,
        generation: integer,
        sequence: integer,
        manifest_sha256: sha256Schema,
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
          manifest_sha256: sha256Schema,
          customer_reference: { type: "string", maxLength: maxReferenceLength },
        }),
      ),
    },
  ),
} as const satisfies Record<string, Operation>;

export type DeliveryEndpoint = keyof typeof deliveryOperations;

/** OpenAPI operation of the public keys that verify manifests. */
export const keySetOperation: Operation = {
  method: "get",
  path: "/.well-known/jwks.json",
  tag: "Delivery",
  summary: "The public keys that manifests are signed with",
  isOpen: true,
  gives: { "application/json": { type: "object", required: ["keys"] } },
};
