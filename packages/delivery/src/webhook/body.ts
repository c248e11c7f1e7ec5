import type { WebhookMessage } from "@cadastre/store/registry";

/** Returns the body of a message: ids and versions, never delivered data. It is the same for every attempt. */
export const bodyOf = (
  { type, at, delivery, entitlementVersion }: WebhookMessage,
  customer: string,
): string =>
  JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      customer_id: customer,
      ...(type === "entitlement.changed" ? { entitlement_version: entitlementVersion } : {}),
      ...(delivery === null
        ? {}
        : {
            delivery_id: delivery.id,
            subscription_id: delivery.subscription,
            generation: delivery.generation,
            sequence: delivery.sequence,
          }),
    },
  });
