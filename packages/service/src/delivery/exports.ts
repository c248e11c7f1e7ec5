import { type Acknowledgement, domainNames, maxKeyLength, maxReferenceLength } from "@cadastre/delivery";
import { manifestJsonSchema } from "@cadastre/manifest";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { limit, pathId, sha256Text, string, timestamp, uri, uuid, whole } from "../endpoint/members.ts";
import { faultCode } from "../endpoint/read-request.ts";
import { fileExportsPath } from "../v1/inventory.ts";
import { readListCursor, writeCursor } from "./cursor.ts";
import {
  createdDelivery,
  createdDeliveryView,
  deliveryMode,
  deliveryStatus,
  deliveryView,
  listedDelivery,
  prefixesFor,
  statusView,
  toInstant,
} from "./delivery-view.ts";
import { redemptionPath } from "./downloads.ts";
import { narrowingMembers, withConditionRefusal } from "./narrowing.ts";
import type { DeliveryServices } from "./services.ts";

const params = pathId("delivery");
const onExports = { path: fileExportsPath, tag: "Delivery", channel: "file_delivery" } as const;
const onExport = { ...onExports, path: `${fileExportsPath}/{id}`, params } as const;

const createExport = defineEndpoint({
  ...onExports,
  method: "post",
  summary:
    "Export all records of a domain that the key sees, as files. The same request again gives the same delivery, with `idempotency-replayed: true`",
  audit: "export.create",
  body: {
    domain: string.meta({ enum: [...domainNames] }),
    deliveryMode,
    idempotencyKey: string.meta({ minLength: 1, maxLength: maxKeyLength }),
    destinationId: string.optional(),
    profileId: string.optional(),
    asOf: string.optional().meta({
      description:
        "An earlier state that is still kept: a time, or `window.toCheckpoint` of a delivery of yours (beyond the specification)",
      example: "2026-11-21T04:00:00Z",
    }),
    ...narrowingMembers,
  },
  answer: { status: 202, data: createdDelivery },
  errors: [
    "unknown_domain",
    "unknown_profile",
    "destination_required",
    "entitlement_denied",
    "capability_required",
    "not_found",
    "idempotency_conflict",
    "destination_not_active",
    "too_many_exports",
    "push_unavailable",
    "invalid_as_of",
    "as_of_expired",
    "invalid_filter",
    "filter_not_available",
    "invalid_select",
  ],
  handle: async ({ caller, body, reply }, { deliveries }: DeliveryServices) => {
    const { delivery, replayed } = await withConditionRefusal(body, () => deliveries.create(caller, body));
    return reply(createdDeliveryView(delivery), {
      headers: {
        location: `${fileExportsPath}/${delivery.id}`,
        ...(replayed ? { "idempotency-replayed": "true" } : {}),
      },
    });
  },
});

const listExports = defineEndpoint({
  ...onExports,
  method: "get",
  summary:
    "Deliveries that can be fetched, the last completed first. `meta.next_after` leads to the next page",
  query: {
    limit: limit("Deliveries of a page"),
    after: string.optional().meta({ description: "`meta.next_after` of the page before" }),
  },
  answer: { data: z.array(listedDelivery), meta: { count: whole, next_after: string.nullable() } },
  errors: ["invalid_limit", "invalid_cursor"],
  handle: async ({ caller, query, reply }, services: DeliveryServices) => {
    const { deliveries, cursorKey } = services;
    const { customer } = caller.scope;
    const after = query.after === undefined ? undefined : readListCursor(query.after, customer, cursorKey);
    // One more delivery than requested is read, to know if there is another page.
    const complete = await deliveries.list(caller, { after, limit: query.limit + 1 });
    const page = complete.slice(0, query.limit);
    const last = complete.length > query.limit ? page.at(-1) : undefined;
    const next_after =
      last === undefined || last.completed === null
        ? null
        : writeCursor({ id: last.id, completed: last.completed }, customer, cursorKey);
    const prefixes = await prefixesFor(services, customer, page);
    const views = page.map((delivery) => deliveryView(delivery, prefixes));
    return reply(views, { meta: { count: page.length, next_after } });
  },
});

const getExport = defineEndpoint({
  ...onExport,
  method: "get",
  summary: "The status of a delivery, its progress, and why it failed",
  answer: { data: deliveryStatus },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, services: DeliveryServices) => {
    const status = await services.deliveries.status(caller, id);
    const prefixes = await prefixesFor(services, caller.scope.customer, [status.delivery]);
    return reply(statusView(status, prefixes));
  },
});

const cancelExport = defineEndpoint({
  ...onExport,
  method: "delete",
  summary: "Cancel a delivery that is not complete (beyond the specification)",
  audit: "export.cancel",
  answer: { data: listedDelivery },
  errors: ["not_found", "delivery_not_open"],
  handle: async ({ caller, params: { id }, reply }, services: DeliveryServices) => {
    const delivery = await services.deliveries.cancel(caller, id);
    const prefixes = await prefixesFor(services, caller.scope.customer, [delivery]);
    return reply(deliveryView(delivery, prefixes));
  },
});

/** Errors of a delivery that cannot be fetched. */
const servedErrors = [
  "not_found",
  "entitlement_changed",
  "delivery_not_complete",
  "delivered_to_bucket",
  "delivery_expired",
  "part_lost",
  "part_rebuilding",
] as const;

const getManifest = defineEndpoint({
  ...onExport,
  method: "get",
  path: `${fileExportsPath}/{id}/manifest`,
  summary: "The manifest of a delivery. `data` is the manifest, byte for byte",
  answer: {
    data: z.unknown().meta({ ...manifestJsonSchema() }),
    meta: { manifest_sha256: sha256Text, signature: z.object({ protected: string, signature: string }) },
  },
  errors: servedErrors,
  handle: async ({ caller, params: { id } }, { deliveries }: DeliveryServices) => {
    const { text: manifest, sha256, signature } = await deliveries.manifest(caller, id);
    const meta = {
      entitlement_version: caller.scope.version,
      manifest_sha256: sha256,
      signature: JSON.parse(signature) as unknown,
    };
    return {
      status: 200,
      contentType: "application/json",
      body: ['{"data":', manifest, `,"meta":${JSON.stringify(meta)}}`],
      headers: { etag: `"sha256:${sha256}"` },
    };
  },
});

/** Highest number of a part. */
const maxPart = 2 ** 31 - 1;

const partCode = faultCode("invalid_part");

const grantDownload = defineEndpoint({
  ...onExport,
  method: "get",
  path: `${fileExportsPath}/{id}/download`,
  summary: "A grant to fetch a part, or with `part=0` the manifest",
  audit: "export.grant",
  query: {
    part: z
      .string(partCode)
      .regex(/^(?:0|[1-9]\d{0,9})$/, partCode)
      .transform(Number)
      .pipe(z.int().min(0).max(maxPart, partCode))
      .meta({ description: "Number of a part in the manifest; 0: the manifest", example: 0 }),
  },
  answer: {
    // The second kind is only used outside of production, with `CADASTRE_GRANTS=direct_https`.
    data: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("logical"), url: z.literal(redemptionPath), bearer_token: string }),
      z.object({ kind: z.literal("direct_https"), url: uri }),
    ]),
    meta: { expires_at: timestamp },
  },
  errors: ["invalid_part", ...servedErrors, "part_not_found"],
  handle: async ({ caller, params: { id }, query: { part }, note, reply }, services: DeliveryServices) => {
    note({ part });
    const { deliveries, isDirect } = services;
    // The manifest is stored in the registry and not in the bucket, so it has no URL of its own.
    if (isDirect && part !== 0) {
      const { url, expires } = await deliveries.grantDirect(caller, id, part);
      return reply({ kind: "direct_https", url }, { meta: { expires_at: toInstant(expires) } });
    }
    const { token, expires } = await deliveries.grant(caller, id, part);
    const data = { kind: "logical", url: redemptionPath, bearer_token: token } as const;
    return reply(data, { meta: { expires_at: toInstant(expires) } });
  },
});

const acknowledgementView = (acknowledged: Acknowledgement) => ({
  delivery_id: acknowledged.delivery,
  generation: acknowledged.generation,
  sequence: acknowledged.sequence,
  manifest_sha256: acknowledged.manifestSha256,
  customer_reference: acknowledged.reference,
  acknowledged_at: toInstant(acknowledged.at),
});

const acknowledgeExport = defineEndpoint({
  ...onExport,
  method: "post",
  path: `${fileExportsPath}/{id}/acknowledge`,
  summary: "Confirm that a delivery was loaded. 200 if it was confirmed before",
  audit: "export.acknowledge",
  body: {
    generation: whole,
    sequence: whole,
    manifest_sha256: string.regex(/^[\dA-Fa-f]{64}$/).toLowerCase(),
    customer_reference: string.meta({ maxLength: maxReferenceLength }),
  },
  answer: {
    status: 201,
    data: z.object({
      delivery_id: uuid,
      generation: whole,
      sequence: whole,
      manifest_sha256: sha256Text,
      customer_reference: string,
      acknowledged_at: timestamp,
    }),
  },
  errors: [
    "not_found",
    "delivery_not_complete",
    "sequence_conflict",
    "manifest_conflict",
    "too_many_acknowledgements",
  ],
  handle: async ({ caller, params: { id }, body, reply }, { deliveries }: DeliveryServices) => {
    const { generation, sequence, manifest_sha256: manifestSha256, customer_reference: reference } = body;
    const said = { generation, sequence, manifestSha256, reference };
    const { acknowledgement, first } = await deliveries.acknowledge(caller, id, said);
    return reply(acknowledgementView(acknowledgement), { status: first ? 201 : 200 });
  },
});

/** Endpoints of exports, and of every delivery. Source: interface specification, sections 2.8 and 4.3. */
export const exportEndpoints = [
  createExport,
  listExports,
  getExport,
  cancelExport,
  getManifest,
  grantDownload,
  acknowledgeExport,
];
