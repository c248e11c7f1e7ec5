const second = 1000;
const hour = 3600 * second;

/** Time after its creation during which a message is retried, in milliseconds. */
const maxMessageAge = 24 * hour;

/** True if a message is too old to be retried. */
export const isTooOld = ({ at: made }: { readonly at: number }, at: number): boolean =>
  at - made >= maxMessageAge;

/** Backoff in milliseconds: the wait after the first attempt, the longest one, and the factor by which it grows. */
const waits = { first: 5 * second, longest: 3 * hour, growth: 3 } as const;

/** Longest wait that a server can ask for by `Retry-After`, in milliseconds. No message waits longer between two attempts. */
export const maxWebhookWait = 6 * hour;

/**
 * Returns the wait after a failed attempt, in milliseconds: exponential backoff with jitter (between half of the wait and all of it), but
 * no shorter than the server asks for.
 *
 * @param attempts number of failed attempts before this one
 * @param retryAfter text of the header `Retry-After`
 * @param random from 0 up to 1
 */
export function waitAfter(
  attempts: number,
  retryAfter: string | undefined,
  { at, random }: { readonly at: number; readonly random: number },
): number {
  const turn = Math.min(waits.first * waits.growth ** attempts, waits.longest);
  return Math.round(Math.max((turn * (1 + random)) / 2, askedFor(retryAfter, at)));
}

/** Converts `Retry-After`, in seconds or as a date, to milliseconds from now. Source: RFC 9110, section 10.2.3. */
function askedFor(retryAfter: string | undefined, at: number): number {
  if (retryAfter === undefined) return 0;
  const asked = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * second : Date.parse(retryAfter) - at;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), maxWebhookWait) : 0;
}
