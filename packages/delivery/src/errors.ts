/**
 * Meaning of an error for a client of an API. `operator`: only the operator can act on it, so a client is told no more
 * than that the service failed.
 */
export type DeliveryErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "rate_limited"
  | "unavailable"
  | "operator";

type ErrorEntry = {
  readonly kind: DeliveryErrorKind;
  /** Says what is wrong and what to do. */
  readonly message: string;
  /** The member of a request that is at fault. */
  readonly target?: string;
  /** Seconds after which the request may succeed. */
  readonly retryAfter?: number;
};

const operator = (message: string) => ({ kind: "operator", message }) as const;

/** All errors of deliveries, by their stable code. A code that is no longer used is never used again. */
export const deliveryErrors = {
  /** A line of the source is not a JSON object on one line with its members in the order of the columns. */
  invalid_record: operator("the source gave a record that is not of its columns: correct the source"),
  /** A number has more digits than its column, so Parquet would round it. */
  decimal_out_of_range: operator(
    "a decimal has more digits than its column: correct the record, or export it as text",
  ),
  /** A file of profiles does not fit its schema. */
  invalid_profile: operator("the output profile is not valid"),
  /** `@duckdb/node-api` is not installed. */
  parquet_unavailable: operator(
    "Parquet needs @duckdb/node-api: install the version that this package names",
  ),
  /** Another version of DuckDB would write different bytes. */
  parquet_writer_version: operator(
    "another version of DuckDB is installed: install the one that this package names",
  ),
  parquet_failed: operator("DuckDB could not write the part"),

  // Reasons to refuse a request.
  invalid_request: { kind: "invalid", message: "the body is not what this address takes" },
  unknown_domain: { kind: "invalid", target: "domain", message: "there is no such domain" },
  unknown_profile: {
    kind: "invalid",
    target: "profileId",
    message: "the domain has no such output profile: leave it out for the default",
  },
  invalid_as_of: {
    kind: "invalid",
    target: "asOf",
    message:
      "`asOf` must be a time such as `2026-11-21T04:00:00Z`, not later than now, or `window.toCheckpoint` of a delivery of yours",
  },
  as_of_expired: {
    kind: "gone",
    target: "asOf",
    message: "the state of that time is not kept any more, or was never: ask for a later one",
  },
  filter_not_available: {
    kind: "invalid",
    target: "filter",
    message:
      "records of this domain cannot be filtered: leave `filter` out. A market report counts many records, and its cells must not be told apart",
  },
  invalid_select: {
    kind: "invalid",
    target: "select",
    message: "`select` must name fields of the profile that you may see, at least one",
  },
  /** A condition names a field that the catalog no longer has, or that the entitlement no longer shows. */
  filter_outdated: operator(
    "the filter names a field that is no longer shown, or that has another type: subscribe with another filter",
  ),
  destination_required: {
    kind: "invalid",
    target: "destinationId",
    message: "a push needs a destination: give its id",
  },
  push_unavailable: {
    kind: "unavailable",
    target: "deliveryMode",
    retryAfter: 3600,
    message: "push is not available at present: use `pull`",
  },
  /** The customer is not granted the domain, or no record of it. */
  entitlement_denied: { kind: "forbidden", message: "the entitlement does not grant this domain" },
  capability_required: { kind: "forbidden", message: "the entitlement does not grant this capability" },
  /** The entitlement has changed since the delivery was created. */
  entitlement_changed: { kind: "forbidden", message: "the entitlement has changed or expired" },
  /** The customer has no such delivery, subscription or destination. */
  not_found: { kind: "not_found", message: "nothing that you may see is at this address" },
  invalid_name: { kind: "invalid", target: "name", message: "`name` must be a text of 1 to 128 characters" },
  invalid_cadence: {
    kind: "invalid",
    target: "cadenceSeconds",
    message: "`cadenceSeconds` must be an integer from 60 to 2678400",
  },
  invalid_preferred_minute: {
    kind: "invalid",
    target: "preferredMinuteOfDay",
    message: "`preferredMinuteOfDay` must be an integer from 0 to 1439",
  },
  subscription_exists: {
    kind: "conflict",
    target: "name",
    message: "another subscription has this name: choose another one, or cancel it",
  },
  too_many_subscriptions: {
    kind: "conflict",
    message: "the limit of subscriptions is reached: cancel one of them",
  },
  /** Another process has changed the subscription since it was read. */
  subscription_changed: operator("the subscription has changed meanwhile: read it again"),
  subscription_canceled: { kind: "conflict", message: "the subscription is canceled: create another one" },
  idempotency_conflict: {
    kind: "conflict",
    target: "idempotencyKey",
    message: "the idempotency key belongs to another request: use a new one",
  },
  too_many_exports: {
    kind: "rate_limited",
    retryAfter: 30,
    message: "too many exports are not complete yet: wait for one of them",
  },
  delivery_not_complete: {
    kind: "conflict",
    message: "the delivery is not complete: ask for its status until it is",
  },
  delivery_not_open: {
    kind: "conflict",
    message: "the delivery is complete or about to be, or has ended: there is nothing to cancel",
  },
  delivery_not_retried: operator("the delivery neither waits for an attempt nor can be built again"),
  delivery_expired: { kind: "gone", message: "the delivery has expired: ask for a new one" },
  delivered_to_bucket: {
    kind: "conflict",
    message: "the delivery was pushed to a bucket: read it from the bucket of its destination",
  },
  part_not_found: { kind: "not_found", message: "the manifest lists no such part" },
  part_rebuilding: {
    kind: "unavailable",
    retryAfter: 10,
    message: "the part was damaged and is being rebuilt: try again shortly",
  },
  /** Also the reason of a failed delivery. */
  part_lost: { kind: "gone", message: "a part was damaged and cannot be rebuilt: ask for a new delivery" },
  /** Covers every defect of a token: the caller is not told which. */
  invalid_token: { kind: "unauthenticated", message: "the token is not valid: ask for a new grant" },
  sequence_conflict: {
    kind: "conflict",
    target: "sequence",
    message: "the delivery has another generation or sequence: see its manifest",
  },
  manifest_conflict: {
    kind: "conflict",
    target: "manifest_sha256",
    message: "the delivery's manifest has another hash: do not use what was loaded",
  },
  too_many_acknowledgements: {
    kind: "conflict",
    target: "customer_reference",
    message: "the delivery was acknowledged with 1000 other references: repeat one of them",
  },

  // Reasons why a delivery is canceled or fails, in addition to those above.
  canceled_by_customer: operator("the customer has canceled the delivery"),
  canceled_by_operator: operator("the operator of the service has canceled the delivery"),
  /** The encoder of the output profile has changed since the delivery was created, so that its bytes would differ. */
  profile_changed: operator("the output profile gives other bytes since an upgrade: ask for a new delivery"),
  schema_changed: operator("the datasets have other columns since an upgrade: ask for a new delivery"),
  /** See `ExportSource.basis`: the delivery would mix records made before and after the change. */
  basis_changed: operator(
    "identities were resolved, or the size of the smallest cells was set, while the delivery was built: ask for a new one",
  ),
  /** The record versions that the delivery reads are no longer kept. */
  checkpoint_expired: operator("the delivery is too old to be built: ask for a new one"),
  build_failed: operator("the delivery could not be built: see the log"),
  /** The delivery was canceled, or another worker has claimed it. */
  lease_lost: operator("the delivery is no longer this worker's"),
  /** Set by the ledger. */
  worker_lost: operator("the workers of the delivery were lost, one after the other: see the log"),

  // Reasons why a subscription is suspended, or its delivery canceled.
  /** The entitlement grants none of what the subscription delivers. */
  entitlement_expired: operator("the entitlement does not grant what the subscription delivers: renew it"),
  /** The destination cannot be written to. */
  destination_degraded: operator(
    "the destination of the subscription is not active: see its state, and verify it",
  ),
  subscription_reset: operator("the subscription starts anew with a seed"),

  // The store of parts.
  parts_full: operator("there is no space for parts: free some"),
  parts_not_writable: operator("parts cannot be written: see to the rights of their folder"),
  parts_unavailable: { kind: "unavailable", message: "the parts cannot be reached" },
  /** A part that the ledger lists is not in the store, or has another length. */
  part_missing: operator("a stored part is missing or truncated: a worker rebuilds it"),
  part_damaged: operator("a stored part or manifest does not match its hash: a worker rebuilds it"),

  // Buckets.
  /** `@aws-sdk/client-s3` or `@aws-sdk/client-sts` is not installed. */
  aws_sdk_missing: operator(
    "buckets need @aws-sdk/client-s3 and @aws-sdk/client-sts: install the versions that this package names",
  ),
  /** All retries failed. */
  bucket_unavailable: operator("the bucket cannot be reached, or is asked too much: try again later"),
  bucket_denied: operator(
    "the bucket does not exist, or does not allow it: see to the permissions of the role",
  ),
  kms_denied: operator(
    "the encryption key cannot be used: see to its policy and the permissions of the role",
  ),
  region_mismatch: operator("the bucket is in another region than the destination says"),
  object_damaged: operator("bytes that were to be written are not those of their hash: nothing was written"),

  // Reasons to refuse a destination.
  invalid_bucket: { kind: "invalid", target: "bucket", message: "`bucket` must be the name of an S3 bucket" },
  invalid_region: {
    kind: "invalid",
    target: "region",
    message:
      "`region` must be the name of an AWS region, such as `us-east-1`, or the region of the store at `endpoint`",
  },
  invalid_prefix: {
    kind: "invalid",
    target: "prefix",
    message:
      "`prefix` must have 1 to 256 characters: names of letters, digits, `.`, `_`, `=` and `-`, with slashes between them",
  },
  invalid_role_arn: {
    kind: "invalid",
    target: "roleArn",
    message:
      "`roleArn` must be `arn:aws:iam::<account>:role/cadastre/file-delivery/<name>`, as the onboarding page says; leave it out with `endpoint`",
  },
  invalid_kms_key_arn: {
    kind: "invalid",
    target: "kmsKeyArn",
    message: "`kmsKeyArn` must be the ARN of a key in the region of the bucket; leave it out with `endpoint`",
  },
  invalid_endpoint: {
    kind: "invalid",
    target: "endpoint",
    message:
      "`endpoint` must be the https address of a store on the public Internet, without a path, or one that the service's operator allows",
  },
  invalid_access_key: {
    kind: "invalid",
    target: "accessKeyId",
    message:
      "a destination with `endpoint` needs `accessKeyId` and `secretAccessKey`, of up to 256 characters; one of AWS has neither",
  },
  destination_exists: {
    kind: "conflict",
    target: "prefix",
    message:
      "the bucket and prefix are in use: choose another prefix, that neither contains one in use nor is in one",
  },
  too_many_destinations: {
    kind: "conflict",
    message: "the limit of destinations is reached: disable one of them",
  },
  destination_state: {
    kind: "conflict",
    message: "the destination is disabled, or waits for its new external id",
  },
  destination_not_active: {
    kind: "conflict",
    target: "destinationId",
    message: "the destination is not verified: see its state, and verify it",
  },
  /** The external id or secret access key was encrypted with another secret than the service's present one. */
  external_id_unreadable: operator(
    "the external id or access key cannot be opened: restore the secret, or rotate the destination",
  ),

  // Failures that the verification of a destination finds, in addition to those above.
  external_id_not_enforced: operator(
    "the role can be assumed without its external id: add the condition to its trust policy",
  ),
  role_denied: operator("the role cannot be assumed: see to its trust policy"),
  probe_denied: operator(
    "an object cannot be written and looked at below the prefix: see to the permissions of the role",
  ),
  kms_mismatch: operator(
    "objects are not encrypted with the key of the destination: see to the bucket's encryption",
  ),
  probe_cleanup_failed: operator(
    "the probe below the prefix cannot be removed: see to the permissions of the role",
  ),

  overwrites_objects: operator(
    "the store overwrites an object although asked not to: it must support `If-None-Match: *` when an object is put",
  ),

  /** No failure of a verification or delivery: the destination stays active. */
  pointer_denied: operator(
    "the bucket denies that the pointer `latest.json` of a subscription is replaced: leave it out of what the policy denies",
  ),

  // Reasons to refuse a webhook.
  invalid_webhook_url: {
    kind: "invalid",
    target: "url",
    message:
      "`url` must be `https` to a public host, on port 443 or one from 1024 on, without credentials and fragment",
  },
  invalid_webhook_events: {
    kind: "invalid",
    target: "events",
    message: "`events` must be a list of at least one event, each of them once",
  },
  /** `entity.changed` with other events, or without `entity_events`, or `entity_events` without it. */
  invalid_entity_events: {
    kind: "invalid",
    target: "entity_events",
    message:
      "`entity.changed` needs a webhook of its own with `entity_events`, which no other webhook has: register two for both kinds",
  },
  entity_events_unavailable: {
    kind: "invalid",
    target: "events",
    message: "this service does not offer `EntityEvent`, so it cannot send its events: ask its operator",
  },
  invalid_event_token: {
    kind: "invalid",
    target: "entity_events.token",
    message: "`token` must be a bearer token: 1 to 2048 letters, digits or any of `-._~+/`, then perhaps `=`",
  },
  invalid_event_source: {
    kind: "invalid",
    target: "entity_events.source",
    message: "`source` must be 1 to 255 printable ASCII characters, the first and the last no space",
  },
  invalid_event_number: {
    kind: "invalid",
    target: "entity_events.after",
    message: "`after` must be a whole number, such as the greatest `EntityEventSequence` that you have",
  },
  too_many_webhooks: { kind: "conflict", message: "the limit of webhooks is reached: delete one of them" },
  webhook_disabled: {
    kind: "conflict",
    message: "the webhook is disabled: delete it, and register another one",
  },
  /** The webhook's secret was encrypted with another secret than the service's present one. */
  webhook_secret_unreadable: operator(
    "the webhook's secret or token cannot be opened: restore the service's, or rotate or register it anew",
  ),

  // Reasons why a message to a webhook fails.
  webhook_unreachable: operator(
    "the address cannot be reached, or is not public, or does not prove who it is",
  ),
  webhook_timeout: operator("the address did not answer in time"),
  webhook_refused: operator("the address did not take the message: see its last status"),
  webhook_gone: operator("the address is gone for good, as it says: register another one"),

  // Reasons why a publication fails.
  destination_denied: operator("the destination does not allow the publication: verify it"),
  destination_conflict: operator(
    "an object of the delivery's name is there and is another one: nothing is overwritten",
  ),
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type DeliveryErrorCode = keyof typeof deliveryErrors;

/** Details of an error for the client. */
export type DeliveryErrorDetails = {
  /** The member of a request that is at fault. */
  readonly target?: string;
  /** The values that the member may have. */
  readonly allowed?: readonly string[];
};

/** An error of exports, subscriptions, destinations or webhooks. The message of its code says what to do. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly code: DeliveryErrorCode;
  readonly kind: DeliveryErrorKind;
  readonly details: DeliveryErrorDetails;

  /** @param reason the cause, for the log: it names columns and files, and never quotes data */
  constructor(code: DeliveryErrorCode, reason?: string, options: ErrorOptions & DeliveryErrorDetails = {}) {
    const { target, allowed, ...cause } = options;
    const entry: ErrorEntry = deliveryErrors[code];
    super(reason === undefined ? entry.message : `${entry.message}: ${reason}`, cause);
    this.code = code;
    this.kind = entry.kind;
    const at = target ?? entry.target;
    this.details = {
      ...(at === undefined ? {} : { target: at }),
      ...(allowed === undefined ? {} : { allowed }),
    };
  }
}
