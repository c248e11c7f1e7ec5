import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { SealingKey } from "../sealed-text.ts";
import type { EventBatch } from "./event-feed.ts";
import { type MessageContent, signedHeaders } from "./message.ts";
import type { WebhookResult, WebhookSending } from "./outbox.ts";
import { type PostOptions, PostTimeout, post } from "./post.ts";
import { openSecret, tokenOwner } from "./secret.ts";
import { webhookUrl } from "./url.ts";
import { isTooOld, waitAfter } from "./wait.ts";

/** Failures of a message that its customer is shown. They do not name the address that a host resolves to, which may be internal. */
export const webhookFailures = [
  "webhook_unreachable",
  "webhook_timeout",
  "webhook_refused",
  "webhook_gone",
  "webhook_secret_unreadable",
] as const satisfies readonly DeliveryErrorCode[];

type WebhookFailure = (typeof webhookFailures)[number];

/** Result of an attempt. The status is null if there was no answer. */
type Met = {
  readonly status: number | null;
  readonly failure: WebhookFailure | null;
  readonly retryAfter?: string | undefined;
  /** An error that is not the webhook's fault. */
  readonly cause?: unknown;
};

/** Sends a message, signed with the secrets that are in force at `at`. Throws only errors that are not the webhook's fault. */
export async function attempt(
  { webhook, secrets }: WebhookSending,
  content: MessageContent,
  at: number,
  { key, ...options }: PostOptions & { readonly key: SealingKey },
): Promise<Met> {
  const secret = openSecret(secrets.secret, webhook.id, key);
  const own = ownHeaders(webhook, secrets, key);
  if (secret === undefined || own === undefined) {
    const failure = "webhook_secret_unreadable";
    return { status: null, failure, cause: new DeliveryError(failure) };
  }
  const isBoth = (webhook.previousUntil ?? 0) > at && secrets.previous !== null;
  // If the previous secret cannot be decrypted, the message is signed with the new one only.
  const previous = isBoth ? openSecret(secrets.previous, webhook.id, key) : undefined;
  const signed = signedHeaders({ ...content, timestamp: Math.floor(at / 1000) }, [
    secret,
    ...(previous === undefined ? [] : [previous]),
  ]);
  const request = { headers: { ...signed, ...own }, body: content.body };
  try {
    const { status, retryAfter } = await post(webhookUrl(webhook.url, options), request, options);
    return { status, failure: failureOf(status), retryAfter };
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return {
      status: null,
      failure: error instanceof PostTimeout ? "webhook_timeout" : "webhook_unreachable",
    };
  }
}

/** Returns the headers that RCP-28 has beside the signature; undefined if the bearer token was encrypted with another key. */
function ownHeaders(
  { id, eventPush }: WebhookSending["webhook"],
  secrets: WebhookSending["secrets"],
  key: SealingKey,
): Readonly<Record<string, string>> | undefined {
  if (eventPush === null || secrets.token === null) return {};
  const token = openSecret(secrets.token, tokenOwner(id), key);
  if (token === undefined) return undefined;
  const { source } = eventPush;
  return { authorization: `Bearer ${token}`, ...(source === null ? {} : { EntityEventSource: source }) };
}

const failureOf = (status: number): WebhookFailure | null => {
  if (status >= 200 && status < 300) return null;
  return status === 410 ? "webhook_gone" : "webhook_refused";
};

/**
 * Returns the new state of a webhook and its message after an attempt. A message is tried at least once. Events are never given up: a webhook
 * that does not take them is suspended.
 *
 * @param batch the events that were sent; undefined for another message
 */
export function resultOf(
  { message, attempts }: WebhookSending,
  batch: EventBatch | undefined,
  { status, failure, retryAfter }: Met,
  { at, random }: { readonly at: number; readonly random: number },
): WebhookResult {
  const noted = { at, status, failure };
  if (failure === null) {
    const sent = batch?.events.at(-1)?.number;
    const hasMore = batch?.hasMore ?? false;
    return { ...noted, state: "active", message: hasMore ? "continued" : "done", due: at, sent };
  }
  if (failure === "webhook_gone") return { ...noted, state: "disabled", message: "done", due: at };
  const isOver = isTooOld(message, at);
  return {
    ...noted,
    state: isOver && batch !== undefined ? "suspended" : "failing",
    message: isOver && batch === undefined ? "done" : "kept",
    due: at + waitAfter(attempts, retryAfter, { at, random }),
  };
}
