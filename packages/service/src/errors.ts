import type { EntitlementPublicCode } from "@cadastre/entitlement";
import type { QueryErrorCode } from "@cadastre/odata";

type Refusal = { readonly status: number; readonly message: string; readonly headers?: Headers };

/** Headers by their name in lower case. */
type Headers = Readonly<Record<string, string>>;

/**
 * Every refusal other than a query error, by its public code. A code that is no longer used stays here as a comment and is never used
 * again.
 */
const refusals = {
  unsupported_version: {
    status: 400,
    message: "`OData-MaxVersion` may be 4.0 or above, `OData-Version` 4.0 or 4.01",
  },
  invalid_encoding: { status: 400, message: "the path is not valid percent-encoded UTF-8" },
  invalid_host: {
    status: 400,
    message: "the header `Host` must be a host name or an IP address, and a port or none",
  },
  duplicate_header: {
    status: 400,
    message:
      "the headers `Host`, `Authorization` and `x-api-key` may each be sent once: remove the repeated one",
  },
  invalid_batch: {
    status: 400,
    message: "the body is no batch of requests, or `target` in it is wrong",
  },
  invalid_property_id: {
    status: 400,
    message: "the id of a property is 1 to 256 characters long, none of them a control character",
  },
  invalid_listing_key: {
    status: 400,
    message: "the key of a listing must be 1 to 256 characters long, without control characters",
  },
  invalid_geography: {
    status: 400,
    message:
      "`geography` is `national:US`, `state:TX`, `zip:78701` or `county:TX/Travis`, with a county of 1 to 200 characters",
  },
  invalid_request: { status: 400, message: "the body is not what this address takes" },
  invalid_name: { status: 400, message: "`name` is a text of 1 to 128 characters" },
  invalid_cadence: { status: 400, message: "`cadenceSeconds` is a whole number from 300 to 2678400" },
  invalid_preferred_minute: {
    status: 400,
    message: "`preferredMinuteOfDay` is a whole number from 0 to 1439",
  },
  unknown_domain: { status: 400, message: "there is no such domain" },
  unknown_profile: { status: 400, message: "the domain has no such output profile" },
  destination_required: { status: 400, message: "a push needs a destination" },
  invalid_bucket: { status: 400, message: "`bucket` is no name of a bucket" },
  invalid_region: { status: 400, message: "`region` is no name of a region of AWS" },
  invalid_prefix: {
    status: 400,
    message:
      "`prefix` is made of names with letters, digits, `.`, `_`, `=` and `-`, and slashes between them, at most 256 characters",
  },
  invalid_role_arn: {
    status: 400,
    message: "`roleArn` is `arn:aws:iam::<account>:role/cadastre/file-delivery/<name>`",
  },
  invalid_kms_key_arn: { status: 400, message: "`kmsKeyArn` is the ARN of a key in the bucket's region" },
  invalid_webhook_url: {
    status: 400,
    message:
      "`url` is `https` to a public host, on port 443 or one from 1024 on, without credentials and fragment",
  },
  invalid_webhook_events: { status: 400, message: "`events` are names of events, each of them once" },
  invalid_limit: { status: 400, message: "`limit` is a whole number from 1 to 500" },
  invalid_cursor: { status: 400, message: "`after` is no `next_after` of yours: start at the first page" },
  invalid_part: { status: 400, message: "`part` is the number of a part in the manifest, or 0" },
  query_not_allowed: { status: 400, message: "this address takes no query" },
  unknown_parameter: { status: 400, message: "the query has a parameter that this address does not take" },
  duplicate_parameter: { status: 400, message: "the query has a parameter more than once" },
  unauthorized: {
    status: 401,
    message: "a valid API key is required in the header `x-api-key`",
    headers: { "www-authenticate": 'Bearer realm="cadastre"' },
  },
  invalid_token: {
    status: 401,
    message: "the token is not valid: ask for a new grant",
    headers: { "www-authenticate": 'Bearer realm="cadastre", error="invalid_token"' },
  },
  entitlement_denied: { status: 403, message: "the entitlement does not grant this domain" },
  channel_not_entitled: { status: 403, message: "the entitlement does not grant this channel" },
  capability_required: { status: 403, message: "the entitlement does not grant this capability" },
  entitlement_changed: { status: 403, message: "the entitlement has changed or expired" },
  not_found: { status: 404, message: "nothing that you may see is at this address" },
  part_not_found: { status: 404, message: "the manifest lists no such part" },
  no_raw_value: {
    status: 400,
    message: "`$value` is there for a property that is no collection: read the entity or the property itself",
  },
  method_not_allowed: { status: 405, message: "the header `Allow` says what this address answers" },
  not_acceptable: {
    status: 406,
    message:
      "the format is not offered: data is `application/json`, counts and values are `text/plain`, metadata is either XML or JSON",
  },
  idempotency_conflict: { status: 409, message: "the idempotency key belongs to another request" },
  too_many_subscriptions: {
    status: 409,
    message: "there are as many subscriptions as there may be: cancel one of them",
  },
  too_many_webhooks: {
    status: 409,
    message: "there are as many webhooks as there may be: delete one of them",
  },
  webhook_disabled: {
    status: 409,
    message: "the webhook is disabled: delete it, and register another one",
  },
  too_many_destinations: {
    status: 409,
    message: "there are as many destinations as there may be: disable one of them",
  },
  destination_exists: { status: 409, message: "the bucket and prefix are in use: choose another prefix" },
  destination_state: { status: 409, message: "the destination is disabled, or is just being rotated" },
  destination_not_active: {
    status: 409,
    message: "the destination is not active: see its status, and verify it",
  },
  subscription_exists: { status: 409, message: "another subscription has this name" },
  subscription_canceled: { status: 409, message: "the subscription is canceled: create another one" },
  delivery_not_complete: { status: 409, message: "the delivery is not complete: see its status" },
  delivery_not_open: { status: 409, message: "the delivery is complete or about to be, or has ended" },
  sequence_conflict: { status: 409, message: "the delivery has another generation or sequence" },
  manifest_conflict: { status: 409, message: "the delivery's manifest has another hash" },
  delivered_to_bucket: {
    status: 409,
    message: "the delivery was pushed to a bucket: read it from the bucket of its destination",
  },
  delivery_expired: { status: 410, message: "the delivery has expired: ask for a new one" },
  part_lost: {
    status: 410,
    message: "a part was damaged and cannot be rebuilt: ask for a new delivery",
  },
  precondition_failed: { status: 412, message: "what is at this address has another ETag" },
  body_too_large: { status: 413, message: "the body is longer than this address takes" },
  uri_too_long: { status: 414, message: "an address is at most 65536 characters long" },
  unsupported_media_type: {
    status: 415,
    message:
      "`$query` takes `text/plain` and `application/x-www-form-urlencoded`, `$batch` takes `application/json` and `multipart/mixed`, neither of them compressed",
  },
  failed_dependency: { status: 424, message: "a request that this one depends on has failed" },
  too_many_exports: {
    status: 429,
    message: "too many exports are not complete yet: wait for one of them",
    headers: { "retry-after": "30" },
  },
  too_much_in_flight: {
    status: 429,
    message:
      "your requests and answers in progress hold as much memory as one customer may use: finish them, or ask for fewer records",
    headers: { "retry-after": "5" },
  },
  rate_limited: { status: 429, message: "too many requests: wait for as long as `Retry-After` says" },
  too_many_queries: {
    status: 429,
    message: "too many queries at once: wait for one of them",
    headers: { "retry-after": "1" },
  },
  scan_limit_reached: {
    status: 429,
    message:
      "queries that no index serves have used up their time in this minute: filter and sort by what is indexed",
    headers: { "retry-after": "10" },
  },
  query_timeout: {
    status: 503,
    message: "the query took too long: ask for less, or filter and sort by what is indexed",
  },
  service_busy: {
    status: 503,
    message: "the service has more queries than it can answer: try again shortly",
    headers: { "retry-after": "1" },
  },
  internal_error: { status: 500, message: "the service failed; the request id tells its operator more" },
  part_rebuilding: {
    status: 503,
    message: "the part was damaged and is being rebuilt: try again shortly",
    headers: { "retry-after": "10" },
  },
  push_unavailable: {
    status: 503,
    message: "nothing is pushed at present: pull the delivery",
    headers: { "retry-after": "3600" },
  },
  not_implemented: { status: 501, message: "the service does not offer this" },
  service_unavailable: { status: 503, message: "the answer could not be proven safe to give" },
} as const satisfies Record<EntitlementPublicCode, Refusal> & Record<string, Refusal>;

export type RefusalCode = keyof typeof refusals;

const refusalOf = (code: RefusalCode): Refusal => refusals[code];

/** HTTP status of each query error. The type makes the compiler reject a missing or unknown code. */
const queryStatuses = {
  syntax_error: 400,
  invalid_literal: 400,
  unknown_property: 400,
  unknown_function: 400,
  unknown_type: 400,
  unknown_alias: 400,
  wrong_arguments: 400,
  type_mismatch: 400,
  not_boolean: 400,
  not_sortable: 400,
  not_a_collection: 400,
  not_supported: 501,
  unknown_option: 400,
  option_not_allowed: 400,
  duplicate_option: 400,
  invalid_option: 400,
  conflicting_options: 400,
  invalid_encoding: 400,
  invalid_skip_token: 400,
  limit_exceeded: 400,
  query_too_complex: 413,
} as const satisfies Record<QueryErrorCode, number>;

export const statusOfQueryError = (code: QueryErrorCode): number => queryStatuses[code];

/** A refused request, for a reason other than its query. Safe to show to the client. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: RefusalCode;
  /** The faulty part of the request, such as the name of an option. */
  readonly target: string | null;
  readonly status: number;
  /** Additional headers of the answer. */
  readonly headers: Headers;

  constructor(code: RefusalCode, target: string | null = null, headers: Headers = {}) {
    const refusal = refusalOf(code);
    super(refusal.message);
    this.code = code;
    this.target = target;
    this.status = refusal.status;
    this.headers = { ...refusal.headers, ...headers };
  }
}
