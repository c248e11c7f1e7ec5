import { StoreError } from "@cadastre/store";
import { DeliveryError, type DeliveryErrorCode } from "./errors.ts";

/** Delivery error codes by the code of the registry's refusal. */
const refusals: Readonly<Record<string, DeliveryErrorCode>> = {
  idempotency_conflict: "idempotency_conflict",
  too_many_exports: "too_many_exports",
  subscription_exists: "subscription_exists",
  too_many_subscriptions: "too_many_subscriptions",
  unknown_delivery: "not_found",
  delivery_not_open: "delivery_not_open",
  delivery_not_complete: "delivery_not_complete",
  sequence_conflict: "sequence_conflict",
  manifest_conflict: "manifest_conflict",
  unknown_destination: "not_found",
  destination_exists: "destination_exists",
  too_many_destinations: "too_many_destinations",
  destination_state: "destination_state",
  unknown_webhook: "not_found",
  too_many_webhooks: "too_many_webhooks",
  webhook_disabled: "webhook_disabled",
};

/** Converts errors of the registry that customers see to {@link DeliveryError}; others are thrown unchanged. */
export const asDeliveryError = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    const code = error instanceof StoreError ? refusals[error.code] : undefined;
    throw code === undefined ? error : new DeliveryError(code, undefined, { cause: error });
  });
