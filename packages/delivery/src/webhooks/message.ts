import { createHmac } from "node:crypto";
import type { EntityEvent } from "./event-feed.ts";
import type { OutboxMessage } from "./outbox.ts";
import { signingKeyOf } from "./secret.ts";

/** Events about the customer's entitlement. */
const ofEntitlement: ReadonlySet<OutboxMessage["type"]> = new Set([
  "entitlement.changed",
  "entitlement.revoked",
]);

/** Content of a message, apart from its signature and the time of the attempt. */
export type MessageContent = {
  /** The same id has the same body, or for events a part of it. */
  readonly id: string;
  readonly body: string;
};

/** Returns the content of a message: ids, versions and codes, never delivered data. It is the same for every attempt. */
export const messageContent = (
  { id, type, at, delivery, entitlementVersion, suspended }: OutboxMessage,
  customer: string,
): MessageContent => ({
  id,
  body: JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      customer_id: customer,
      ...(ofEntitlement.has(type) ? { entitlement_version: entitlementVersion } : {}),
      ...(type === "entitlement.revoked" ? { purge: { required: true } } : {}),
      ...(suspended === null
        ? {}
        : { subscription_id: suspended.subscription, failure: { code: suspended.code } }),
      ...(delivery === null
        ? {}
        : {
            delivery_id: delivery.id,
            subscription_id: delivery.subscription,
            generation: delivery.generation,
            sequence: delivery.sequence,
          }),
    },
  }),
});

const eventContext = "urn:reso:metadata:2.0:resource:entityevent";

/**
 * Returns the content of a message with entity events, in RESO Common Format. Its id has the numbers of the first and the last one: events
 * between them can only leave, when their record has a later one. Source: RCP-28, examples 2 and 4.
 *
 * @param id used if there are no events: a test
 */
export function eventsContent(events: readonly EntityEvent[], id: string): MessageContent {
  const [first, last] = [events.at(0), events.at(-1)];
  const value = events.map(({ json }) => json).join(",");
  return {
    id: first === undefined || last === undefined ? id : `evt_${first.number}_${last.number}`,
    body: `{"@reso.context":${JSON.stringify(eventContext)},"value":[${value}]}`,
  };
}

/** The signed content of a message: its id, the time in seconds since 1970, and the body. */
export type Signed = MessageContent & { readonly timestamp: number };

/** Returns the headers of a message, with a signature for each secret. Source: Standard Webhooks, "Signature scheme". */
export const signedHeaders = (signed: Signed, secrets: readonly string[]) => ({
  "webhook-id": signed.id,
  "webhook-timestamp": String(signed.timestamp),
  "webhook-signature": secrets.map((secret) => `v1,${signatureOf(signed, secret)}`).join(" "),
});

const signatureOf = ({ id, timestamp, body }: Signed, secret: string): string =>
  createHmac("sha256", signingKeyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
