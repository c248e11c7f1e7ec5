import { z } from "zod";
import { ClientError } from "../errors.ts";
import { verifySignature, type WebhookHeaders, webhookHeader } from "./verify-webhook.ts";

const event = z.object({
  EntityEventSequence: z.int().positive(),
  ResourceName: z.string(),
  ResourceRecordKey: z.string(),
  ResourceRecordUrl: z.string().nullish(),
});

/** A body with events, which the service always sends as a list. Source: RCP-28. */
const message = z.object({
  "@reso.context": z.string().regex(/^urn:reso:metadata:\d+\.\d+:resource:entityevent$/i),
  value: z.array(event),
});

/** A change of a record: read the record anew, and remove it if it is not there. */
export type PushedEntityEvent = z.infer<typeof event>;

/** A verified message with entity events. */
export type EntityEventMessage = {
  /** Id of the message. It is the same for every attempt. */
  readonly id: string;
  /** Label that the webhook was registered with; undefined if it has none. */
  readonly source: string | undefined;
  /** In the order of their numbers. Empty in a test. */
  readonly events: readonly PushedEntityEvent[];
};

/**
 * Verifies a request that pushes entity events, and returns them. It must be signed by the service, its time must be within five minutes of
 * `now`, and its numbers must ascend. Source: RCP-28; the signature is that of Standard Webhooks.
 *
 * @param body the exact bytes that were received
 * @param secret secret of the webhook in the form that the service gave it
 * @param now milliseconds since 1970; by default the system time
 * @throws {ClientError} `webhook_secret_invalid`, `webhook_not_authentic`, `webhook_too_old`, `webhook_malformed`
 */
export function verifyEntityEvents(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  now: number = Date.now(),
): EntityEventMessage {
  const id = verifySignature(headers, body, secret, now);
  const events = parseEvents(body);
  if (events.some((one, i) => one.EntityEventSequence <= (events[i - 1]?.EntityEventSequence ?? 0)))
    throw new ClientError("webhook_malformed");
  return { id, source: webhookHeader(headers, "entityeventsource"), events };
}

/** @throws {ClientError} `webhook_malformed` */
function parseEvents(body: string | Uint8Array): readonly PushedEntityEvent[] {
  try {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    return message.parse(JSON.parse(text)).value;
  } catch {
    throw new ClientError("webhook_malformed");
  }
}
