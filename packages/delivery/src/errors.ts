/** Error codes of exports, each with a message that says what to do. */
export const deliveryErrors = {
  /** A line of the source is not a JSON object on one line with its members in the order of the columns. */
  invalid_record: "the source gave a record that is not of its columns: correct the source",
  /** A number has more digits than its column, so Parquet would round it. */
  decimal_out_of_range: "a decimal has more digits than its column: correct the record, or export it as text",
  /** A file of profiles does not fit its schema. */
  invalid_profile: "the output profile is not valid",
  /** `@duckdb/node-api` is not installed. */
  parquet_unavailable: "Parquet needs @duckdb/node-api: install the version that this package names",
  /** Another version of DuckDB would write different bytes. */
  parquet_writer_version: "another version of DuckDB is installed: install the one that this package names",
  parquet_failed: "DuckDB could not write the part",

  // Reasons to refuse a request.
  invalid_request: "the request does not fit its schema",
  unknown_domain: "there is no such domain",
  unknown_profile: "the domain has no such output profile",
  destination_required: "a push needs a destination",
  push_unavailable: "nothing is pushed at present: pull the delivery",
  /** The customer is not granted the domain, or no record of it. */
  entitlement_denied: "the entitlement does not grant the domain",
  capability_required: "the entitlement does not have the capability that a push needs",
  /** The entitlement has changed since the delivery was created. */
  entitlement_changed: "the entitlement has changed since the delivery was asked for: ask for a new one",
  /** The customer has no such delivery, subscription or destination. */
  not_found: "the customer has nothing of this id",
  invalid_name: "`name` is a text of 1 to 128 characters",
  invalid_cadence: "`cadenceSeconds` is a whole number from 300 to 2678400",
  invalid_preferred_minute: "`preferredMinuteOfDay` is a whole number from 0 to 1439",
  subscription_exists: "another subscription has this name: choose another one, or cancel it",
  too_many_subscriptions: "there are as many subscriptions as there may be: cancel one of them",
  /** Another process has changed the subscription since it was read. */
  subscription_changed: "the subscription has changed meanwhile: read it again",
  subscription_canceled: "the subscription is canceled: create another one",
  idempotency_conflict: "the idempotency key belongs to another request: use a new one",
  too_many_exports: "too many exports are not complete yet: wait for one of them",
  delivery_not_complete: "the delivery is not complete: ask for its status until it is",
  delivery_not_open: "the delivery is complete or about to be, or has ended: there is nothing to cancel",
  delivery_expired: "the delivery has expired: ask for a new one",
  delivered_to_bucket: "the delivery was pushed to a bucket: read it from the bucket of its destination",
  part_not_found: "the manifest lists no such part",
  part_rebuilding: "the part was damaged and is being rebuilt: try again shortly",
  /** Also the reason of a failed delivery. */
  part_lost: "a part was damaged and cannot be rebuilt: ask for a new delivery",
  /** Covers every defect of a token: the caller is not told which. */
  invalid_token: "the token is not valid: ask for a new grant",
  sequence_conflict: "the delivery has another generation or sequence: see its manifest",
  manifest_conflict: "the delivery's manifest has another hash: do not use what was loaded",

  // Reasons why a delivery is canceled or fails, in addition to those above.
  canceled_by_customer: "the customer has canceled the delivery",
  /** The encoder of the output profile has changed since the delivery was created, so that its bytes would differ. */
  profile_changed: "the output profile gives other bytes since an upgrade: ask for a new delivery",
  schema_changed: "the datasets have other columns since an upgrade: ask for a new delivery",
  /** See `ExportSource.basis`: the delivery would mix records made before and after the change. */
  basis_changed:
    "identities were resolved, or the size of the smallest cells was set, while the delivery was built: ask for a new one",
  /** The record versions that the delivery reads are no longer kept. */
  checkpoint_expired: "the delivery is too old to be built: ask for a new one",
  build_failed: "the delivery could not be built: see the log",
  /** The delivery was canceled, or another worker has claimed it. */
  lease_lost: "the delivery is no longer this worker's",
  /** Set by the ledger. */
  worker_lost: "the workers of the delivery were lost, one after the other: see the log",

  // Reasons why a subscription is suspended, or its delivery canceled.
  /** The entitlement grants none of what the subscription delivers. */
  entitlement_expired: "the entitlement does not grant what the subscription delivers: renew it",
  /** The destination cannot be written to. */
  destination_degraded: "the destination of the subscription is not active: see its state, and verify it",
  subscription_reset: "the subscription starts anew with a seed",

  // The store of parts.
  parts_full: "there is no space for parts: free some",
  parts_not_writable: "parts cannot be written: see to the rights of their folder",
  parts_unavailable: "the parts cannot be reached",
  /** A part that the ledger lists is not in the store, or has another length. */
  part_missing: "a stored part is missing or truncated: a worker rebuilds it",
  part_damaged: "a stored part or manifest does not match its hash: a worker rebuilds it",

  // Buckets.
  /** `@aws-sdk/client-s3` or `@aws-sdk/client-sts` is not installed. */
  aws_sdk_missing:
    "buckets need @aws-sdk/client-s3 and @aws-sdk/client-sts: install the versions that this package names",
  /** All retries failed. */
  bucket_unavailable: "the bucket cannot be reached, or is asked too much: try again later",
  bucket_denied: "the bucket does not exist, or does not allow it: see to the permissions of the role",
  kms_denied: "the encryption key cannot be used: see to its policy and the permissions of the role",
  region_mismatch: "the bucket is in another region than the destination says",
  object_damaged: "bytes that were to be written are not those of their hash: nothing was written",

  // Reasons to refuse a destination.
  invalid_bucket: "the bucket has no name of a bucket",
  invalid_region: "the region has no name of a region of AWS",
  invalid_prefix:
    "the prefix is not made of names with letters, digits, `.`, `_`, `=` and `-`, with slashes between them",
  invalid_role_arn: "the role is not one below the path that the onboarding page names",
  invalid_kms_key_arn: "the key has no ARN of a key in the region of the bucket",
  destination_exists:
    "the bucket and prefix are in use: choose another prefix, that neither contains one in use nor is in one",
  too_many_destinations: "there are as many destinations as there may be: disable one of them",
  destination_state: "the destination is disabled, or waits for its new external id",
  destination_not_active: "the destination is not verified: see its state, and verify it",
  /** The external id was encrypted with another secret than the service's present one. */
  external_id_unreadable: "the external id cannot be opened: restore the secret, or rotate the destination",

  // Failures that the verification of a destination finds, in addition to those above.
  external_id_not_enforced:
    "the role can be assumed without its external id: add the condition to its trust policy",
  role_denied: "the role cannot be assumed: see to its trust policy",
  probe_denied:
    "an object cannot be written and looked at below the prefix: see to the permissions of the role",
  kms_mismatch: "objects are not encrypted with the key of the destination: see to the bucket's encryption",
  probe_cleanup_failed: "the probe below the prefix cannot be removed: see to the permissions of the role",

  // Reasons to refuse a webhook.
  invalid_webhook_url:
    "the address is not `https` to a public host, on port 443 or one from 1024 on, without credentials and fragment",
  invalid_webhook_events: "the events are none, or not all of them known, or one is named twice",
  too_many_webhooks: "there are as many webhooks as there may be: delete one of them",
  webhook_disabled: "the webhook is disabled: delete it, and register another one",
  /** The webhook's secret was encrypted with another secret than the service's present one. */
  webhook_secret_unreadable: "the webhook's secret cannot be opened: restore the service's, or rotate it",

  // Reasons why a message to a webhook fails.
  webhook_unreachable: "the address cannot be reached, or is not public, or does not prove who it is",
  webhook_timeout: "the address did not answer in time",
  webhook_refused: "the address did not take the message: see its last status",
  webhook_gone: "the address is gone for good, as it says: register another one",

  // Reasons why a publication fails.
  destination_denied: "the destination does not allow the publication: verify it",
  destination_conflict:
    "an object of the delivery's name is there and is another one: nothing is overwritten",
} as const;

export type DeliveryErrorCode = keyof typeof deliveryErrors;

/** An error of exports, subscriptions, destinations or webhooks. The message of its code says what to do. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly code: DeliveryErrorCode;

  /** @param detail the cause, for the log: it names columns and files, and never quotes data */
  constructor(code: DeliveryErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? deliveryErrors[code] : `${deliveryErrors[code]}: ${detail}`, options);
    this.code = code;
  }
}
