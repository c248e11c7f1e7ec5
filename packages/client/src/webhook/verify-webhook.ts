import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { ClientError } from "../errors.ts";

/** Headers of a request: a `Headers` object, or an object with names in lower case as in `node:http`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const message = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

/** A verified message to a webhook. */
export type WebhookMessage = z.infer<typeof message> & {
  /** Id of the message. It is the same for every attempt, so a message that was processed before can be ignored. */
  readonly id: string;
};

/** Largest accepted difference between the time of a message and the receiver's clock, in seconds. */
const tolerance = 300;

const secretPattern = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/**
 * Verifies a request to a webhook and returns its message. It must be signed by the service, and its time must be within five minutes of
 * `now`. Source: Standard Webhooks.
 *
 * @param body the exact bytes that were received
 * @param secret secret of the webhook in the form that the service gave it
 * @param now milliseconds since 1970; by default the system time
 * @throws {ClientError} `webhook_secret_invalid`, `webhook_not_authentic`, `webhook_too_old`, `webhook_malformed`
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  now: number = Date.now(),
): WebhookMessage {
  return { id: verifySignature(headers, body, secret, now), ...parseMessage(body) };
}

/**
 * Verifies the signature and the time of a request to a webhook, and returns the id of its message.
 *
 * @throws {ClientError} `webhook_secret_invalid`, `webhook_not_authentic`, `webhook_too_old`
 */
export function verifySignature(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  now: number,
): string {
  const key = webhookKey(secret);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    webhookHeader(headers, name),
  );
  if (id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    throw new ClientError("webhook_not_authentic");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  if (!includesSignature(signatures ?? "", expected)) throw new ClientError("webhook_not_authentic");
  if (Math.abs(now / 1000 - Number(timestamp)) > tolerance) throw new ClientError("webhook_too_old");
  return id;
}

/** Returns the key of the signatures. @throws {ClientError} `webhook_secret_invalid` */
export function webhookKey(secret: string): Buffer {
  const [, key] = secretPattern.exec(secret) ?? [];
  if (key === undefined) throw new ClientError("webhook_secret_invalid");
  return Buffer.from(key, "base64");
}

/** Returns the value of a header; undefined if there is none, or several. */
export function webhookHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === "string" ? value : undefined;
}

/** True if one of the signatures is the expected one. Takes the same time whichever it is. */
const includesSignature = (signatures: string, expected: Uint8Array): boolean =>
  signatures
    .split(" ")
    .flatMap((one) => (one.startsWith("v1,") ? [Buffer.from(one.slice(3), "base64")] : []))
    .filter((given) => given.length === expected.length && timingSafeEqual(given, expected)).length > 0;

/** @throws {ClientError} `webhook_malformed` */
function parseMessage(body: string | Uint8Array): z.infer<typeof message> {
  try {
    return message.parse(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)));
  } catch {
    throw new ClientError("webhook_malformed");
  }
}
