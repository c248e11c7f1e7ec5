import { createHmac } from "node:crypto";
import type { OutboxMessage } from "./outbox.ts";
import { signingKeyOf } from "./secret.ts";

/** Returns the body of a message: ids and versions, never delivered data. It is the same for every attempt. */
export const bodyOf = ({ type, at, delivery, entitlementVersion }: OutboxMessage, customer: string): string =>
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

/** The signed content of a message: its id, the time in seconds since 1970, and the body. */
export type Signed = { readonly id: string; readonly timestamp: number; readonly body: string };

/** Returns the headers of a message, with a signature for each secret. Source: Standard Webhooks, "Signature scheme". */
export const signedHeaders = (signed: Signed, secrets: readonly string[]) => ({
  "webhook-id": signed.id,
  "webhook-timestamp": String(signed.timestamp),
  "webhook-signature": secrets.map((secret) => `v1,${signatureOf(signed, secret)}`).join(" "),
});

const signatureOf = ({ id, timestamp, body }: Signed, secret: string): string =>
  createHmac("sha256", signingKeyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
