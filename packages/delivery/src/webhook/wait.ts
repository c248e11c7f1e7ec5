const second = 1000;
const hour = 3600 * second;

/** How long a message is tried again after it was made, in milliseconds. */
const tryingTime = 24 * hour;

/** Whether what fails now, or waits, is given up. */
export const isGivenUp = ({ at: made }: { readonly at: number }, at: number): boolean =>
  at - made >= tryingTime;

/** Waits before the second attempt and at most, in milliseconds; each is three times the one before. */
const waits = { first: 5 * second, longest: 3 * hour, growth: 3 } as const;

/** What a server may ask for at most, in milliseconds. No message ever waits longer between two attempts. */
export const longestWait = 6 * hour;

/**
 * How long to wait after an attempt that has failed, in milliseconds: between half of its turn's wait and the whole, and no
 * shorter than the server asks for.
 *
 * @param attempts that have failed before this one
 * @param retryAfter the text of its header
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

/** Seconds or a date, in milliseconds from now. Source: RFC 9110, section 10.2.3. */
function askedFor(retryAfter: string | undefined, at: number): number {
  if (retryAfter === undefined) return 0;
  const asked = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * second : Date.parse(retryAfter) - at;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestWait) : 0;
}
