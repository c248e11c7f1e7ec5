import {
  DeliveryError,
  type Destination,
  type Destinations,
  destinationFailures,
  destinationTransitions,
  type IssuedDestination,
  requirePush,
} from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { oneOf, pathId, string, timestamp, uuid, whole } from "../endpoint/members.ts";
import { faultCode } from "../endpoint/read-request.ts";
import { failure, toInstant, toInstantOrNull } from "./delivery-view.ts";
import type { DeliveryServices } from "./services.ts";

const root = "/v1/file-export-destinations";
const params = pathId("destination");
const onDestinations = { path: root, tag: "Delivery", channel: "file_delivery" } as const;
const onDestination = { ...onDestinations, path: `${root}/{id}`, params } as const;

const members = {
  id: uuid,
  status: oneOf(Object.keys(destinationTransitions)),
  bucket: string,
  region: string,
  prefix: string,
  roleArn: string.nullable(),
  kmsKeyArn: string.nullable(),
  endpoint: string.nullable(),
  pathStyle: z.boolean().nullable(),
  accessKeyId: string.nullable(),
  failure: failure(destinationFailures),
  last_verified_at: timestamp.nullable(),
  pointer_denied_since: timestamp.nullable(),
  created_at: timestamp,
};

const destination = z.object(members);
const issued = z.object({ ...members, externalId: string.optional() });

/** Returns the JSON of a destination: the members of the request in its spelling, then its state. */
export const destinationView = (found: Destination) => ({
  id: found.id,
  status: found.state,
  bucket: found.bucket,
  region: found.region,
  prefix: found.prefix,
  roleArn: found.roleArn,
  kmsKeyArn: found.kmsKeyArn,
  endpoint: found.server?.endpoint ?? null,
  pathStyle: found.server?.pathStyle ?? null,
  accessKeyId: found.server?.accessKeyId ?? null,
  failure: found.failure === null ? null : { code: found.failure },
  last_verified_at: toInstantOrNull(found.verified),
  pointer_denied_since: toInstantOrNull(found.pointerDenied),
  created_at: toInstant(found.created),
});

/** Returns the JSON of a destination with its external id, which is only shown in this answer, and only of AWS. */
const issuedDestinationView = ({ destination: created, externalId }: IssuedDestination) => ({
  ...destinationView(created),
  ...(externalId === undefined ? {} : { externalId }),
});

/**
 * Returns the destinations after checking that the caller may push to them.
 *
 * @throws {DeliveryError} `capability_required`, `push_unavailable`
 */
function pushedTo(scope: Scope, { destinations, isPushing }: DeliveryServices): Destinations {
  requirePush(scope);
  if (!isPushing) throw new DeliveryError("push_unavailable");
  return destinations;
}

/** Keys of a store other than AWS. */
const keys = {
  accessKeyId: z.string(faultCode("invalid_access_key")).nullish(),
  secretAccessKey: z.string(faultCode("invalid_access_key")).nullish(),
};

const reserve = defineEndpoint({
  ...onDestinations,
  method: "post",
  summary: "Reserve a prefix of a bucket to push deliveries to. Only this answer has `externalId`",
  audit: "destination.reserve",
  body: {
    bucket: z.string(faultCode("invalid_bucket")),
    region: z.string(faultCode("invalid_region")).nullish(),
    prefix: z.string(faultCode("invalid_prefix")),
    roleArn: z.string(faultCode("invalid_role_arn")).nullish(),
    kmsKeyArn: z.string(faultCode("invalid_kms_key_arn")).nullish(),
    endpoint: z.string(faultCode("invalid_endpoint")).nullish(),
    pathStyle: z.boolean(faultCode("invalid_endpoint")).nullish(),
    ...keys,
  },
  answer: { status: 201, data: issued },
  errors: [
    "invalid_bucket",
    "invalid_region",
    "invalid_prefix",
    "invalid_role_arn",
    "invalid_kms_key_arn",
    "invalid_endpoint",
    "invalid_access_key",
    "capability_required",
    "destination_exists",
    "too_many_destinations",
    "push_unavailable",
  ],
  handle: async ({ caller: { scope }, body, reply }, services: DeliveryServices) => {
    const created = await pushedTo(scope, services).reserve(scope.customer, body);
    const headers = { location: `${root}/${created.destination.id}` };
    return reply(issuedDestinationView(created), { headers });
  },
});

const listDestinations = defineEndpoint({
  ...onDestinations,
  method: "get",
  summary: "Your destinations, the oldest first",
  answer: { data: z.array(destination), meta: { count: whole } },
  errors: [],
  handle: async ({ caller, reply }, { destinations }: DeliveryServices) => {
    const found = await destinations.list(caller.scope.customer);
    return reply(found.map(destinationView), { meta: { count: found.length } });
  },
});

const getDestination = defineEndpoint({
  ...onDestination,
  method: "get",
  summary: "One destination: its state, and the reason if it failed (beyond the specification)",
  answer: { data: destination },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { destinations }: DeliveryServices) =>
    reply(destinationView(await destinations.find(caller.scope.customer, id))),
});

const verify = defineEndpoint({
  ...onDestination,
  method: "post",
  path: `${root}/{id}/verify`,
  summary: "Verify a destination soon; its `status` shows the result (beyond the specification)",
  audit: "destination.verify",
  answer: { status: 202, data: destination },
  errors: ["capability_required", "not_found", "destination_state", "push_unavailable"],
  handle: async ({ caller: { scope }, params: { id }, reply }, services: DeliveryServices) =>
    reply(destinationView(await pushedTo(scope, services).requestVerification(scope.customer, id))),
});

const rotate = defineEndpoint({
  ...onDestination,
  method: "post",
  path: `${root}/{id}/rotate`,
  summary:
    "Replace the external id, or the keys of a store other than AWS; those before are void at once. Only this answer has `externalId` (beyond the specification)",
  audit: "destination.rotate",
  body: keys,
  isBodyOptional: true,
  answer: { data: issued },
  errors: ["invalid_access_key", "capability_required", "not_found", "destination_state", "push_unavailable"],
  handle: async ({ caller: { scope }, params: { id }, body, reply }, services: DeliveryServices) =>
    reply(issuedDestinationView(await pushedTo(scope, services).rotate(scope.customer, id, body))),
});

const disable = defineEndpoint({
  ...onDestination,
  method: "delete",
  summary: "Disable a destination for good, and free its prefix (beyond the specification)",
  audit: "destination.disable",
  answer: { data: destination },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { destinations }: DeliveryServices) =>
    reply(destinationView(await destinations.disable(caller.scope.customer, id))),
});

/** Endpoints of destinations. Source: interface specification, section 4.3. */
export const destinationEndpoints = [reserve, listDestinations, getDestination, verify, rotate, disable];
