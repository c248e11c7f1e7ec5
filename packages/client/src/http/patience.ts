/** How much a server is borne with. */
export type Patience = {
  /** Times that one thing is asked for. */
  readonly tries: number;
  /** Time that an answer may take to begin, and a transfer may be silent, in milliseconds. */
  readonly timeout: number;
  /** Longest pause before the second try, in milliseconds; it doubles with every try. */
  readonly pause: number;
};

export const usualPatience: Patience = { tries: 8, timeout: 60_000, pause: 1000 };

/** Longest pause that is taken by itself, in milliseconds. */
const longestPause = 60_000;

/** Longest pause that a server may ask for, in milliseconds. */
export const longestWait = 15 * 60_000;

/**
 * A pause before the next try, in milliseconds: exponential backoff with full jitter.
 *
 * @param failed tries so far
 * @param random from 0 to 1
 */
export const backoff = (failed: number, { pause }: Patience, random: number): number =>
  random * Math.min(longestPause, pause * 2 ** (failed - 1));

/**
 * What the header `Retry-After` asks for, in milliseconds from `now` on; undefined for anything but seconds and dates.
 * Source: RFC 9110, section 10.2.3.
 */
export function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
