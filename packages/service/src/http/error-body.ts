import { DeliveryError, type DeliveryErrorCode } from "@cadastre/delivery";
import { EntitlementError } from "@cadastre/entitlement";
import { type ErrorObject, errorObject, QueryError } from "@cadastre/odata";
import { StoreError, type StoreErrorCode } from "@cadastre/store";
import { DataError } from "../data/data-error.ts";
import { type RefusalCode, Refused, statusOfQueryError } from "../errors.ts";
import { jsonType } from "../odata/protocol.ts";
import type { Answer } from "./answer.ts";

/** The part of an error that a client may see. */
export type PublicError = ErrorObject & {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Returns what the client is told of `error`. An error that is not known to be safe to show becomes `internal_error`.
 *
 * @param optionTexts decoded text of the query options, to quote the faulty place
 */
export function toPublicError(error: unknown, optionTexts?: ReadonlyMap<string, string>): PublicError {
  if (error instanceof QueryError) {
    const text = error.option === null ? undefined : optionTexts?.get(error.option);
    return { status: statusOfQueryError(error.code), headers: {}, ...errorObject(error, text) };
  }
  const { status, headers, code, message, target } = toRefusal(error);
  return { status, headers, code, message, ...(target === null ? {} : { target }) };
}

/** Public code of each store error. An error without an entry is a fault of the service: `internal_error`. */
const storeRefusals: Partial<Record<StoreErrorCode, RefusalCode>> = {
  query_timeout: "query_timeout",
  // Only happens after the client has disconnected, so nobody reads it.
  query_canceled: "service_busy",
  store_busy: "service_busy",
  too_many_queries: "too_many_queries",
  scan_limit_reached: "scan_limit_reached",
  // Without the registry the API key cannot be verified.
  registry_unavailable: "service_unavailable",
};

/** Public code of each delivery error. An error without an entry is a fault of the service: `internal_error`. */
const deliveryRefusals: Partial<Record<DeliveryErrorCode, RefusalCode>> = {
  invalid_request: "invalid_request",
  unknown_domain: "unknown_domain",
  unknown_profile: "unknown_profile",
  destination_required: "destination_required",
  push_unavailable: "push_unavailable",
  entitlement_denied: "entitlement_denied",
  capability_required: "capability_required",
  entitlement_changed: "entitlement_changed",
  not_found: "not_found",
  invalid_name: "invalid_name",
  invalid_cadence: "invalid_cadence",
  invalid_preferred_minute: "invalid_preferred_minute",
  subscription_exists: "subscription_exists",
  too_many_subscriptions: "too_many_subscriptions",
  subscription_canceled: "subscription_canceled",
  invalid_bucket: "invalid_bucket",
  invalid_region: "invalid_region",
  invalid_prefix: "invalid_prefix",
  invalid_role_arn: "invalid_role_arn",
  invalid_kms_key_arn: "invalid_kms_key_arn",
  destination_exists: "destination_exists",
  too_many_destinations: "too_many_destinations",
  destination_state: "destination_state",
  destination_not_active: "destination_not_active",
  invalid_webhook_url: "invalid_webhook_url",
  invalid_webhook_events: "invalid_webhook_events",
  too_many_webhooks: "too_many_webhooks",
  webhook_disabled: "webhook_disabled",
  idempotency_conflict: "idempotency_conflict",
  too_many_exports: "too_many_exports",
  delivery_not_complete: "delivery_not_complete",
  delivery_not_open: "delivery_not_open",
  delivery_expired: "delivery_expired",
  delivered_to_bucket: "delivered_to_bucket",
  part_not_found: "part_not_found",
  invalid_token: "invalid_token",
  sequence_conflict: "sequence_conflict",
  manifest_conflict: "manifest_conflict",
  parts_unavailable: "service_unavailable",
  part_rebuilding: "part_rebuilding",
  part_lost: "part_lost",
};

function toRefusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof DeliveryError) return new Refused(deliveryRefusals[error.code] ?? "internal_error");
  if (error instanceof DataError) return new Refused("service_unavailable");
  if (error instanceof StoreError) return new Refused(storeRefusals[error.code] ?? "internal_error");
  return new Refused(error instanceof EntitlementError ? error.publicCode : "internal_error");
}

/** The error response of OData. Source: OData JSON Format 4.01, section 21. */
export const odataErrorAnswer = ({
  status,
  headers,
  code,
  message,
  target,
  details,
}: PublicError): Answer => ({
  status,
  headers,
  contentType: jsonType,
  body: JSON.stringify({ error: { code, message, target, details } }),
});

/** The error response of all other paths. Source: interface specification, section 7. */
export const plainErrorAnswer = ({ status, headers, code }: PublicError): Answer => ({
  status,
  headers,
  contentType: "application/json",
  body: JSON.stringify({ error: code }),
});
