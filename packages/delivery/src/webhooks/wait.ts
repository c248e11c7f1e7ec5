import { type Backoff, backoffDelay, retryAfter } from "@cadastre/manifest/retry";

const second = 1000;
const hour = 3600 * second;

/** Time after its creation during which a message is retried, in milliseconds. */
const maxMessageAge = 24 * hour;

/** True if a message is too old to be retried. */
export const isTooOld = ({ at: made }: { readonly at: number }, at: number): boolean =>
  at - made >= maxMessageAge;

const backoff: Backoff = { first: 5 * second, longest: 3 * hour, growth: 3, jitter: 0.5 };

/** Longest wait that a server can ask for by `Retry-After`, in milliseconds. No message waits longer between two attempts. */
export const maxWebhookWait = 6 * hour;

/**
 * Returns the wait after a failed attempt, in milliseconds: exponential backoff with jitter, but no shorter than the server asks for.
 *
 * @param attempts number of failed attempts before this one
 * @param header text of the header `Retry-After`
 * @param random from 0 up to 1
 */
export function waitAfter(
  attempts: number,
  header: string | undefined,
  { at, random }: { readonly at: number; readonly random: number },
): number {
  const asked = Math.min(retryAfter(header, at) ?? 0, maxWebhookWait);
  return Math.round(Math.max(backoffDelay(backoff, attempts + 1, random), asked));
}
