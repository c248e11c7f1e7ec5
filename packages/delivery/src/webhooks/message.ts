import { createHmac } from "node:crypto";
import type { WebhookMessage } from "./outbox.ts";
import { keyOf } from "./secret.ts";

/** The body of a message: ids and versions, and nothing of what was delivered. The same whenever it is sent. */
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

/** What is sent: an id, a time in seconds since 1970, and a body. */
export type Signed = { readonly id: string; readonly timestamp: number; readonly body: string };

/** The headers of a message, signed with each of the secrets. Source: Standard Webhooks, "Signature scheme". */
export const signedHeaders = (signed: Signed, secrets: readonly string[]) => ({
  "webhook-id": signed.id,
  "webhook-timestamp": String(signed.timestamp),
  "webhook-signature": secrets.map((secret) => `v1,${signatureOf(signed, secret)}`).join(" "),
});

const signatureOf = ({ id, timestamp, body }: Signed, secret: string): string =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
