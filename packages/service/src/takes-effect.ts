/**
 * How long a running service may go by what an operator has changed since: keys, entitlements, builds, profiles and identities. In
 * milliseconds.
 */
export const takesEffectWithin = 2000;

/** Says when a running service does `what` after a command. */
export const runningService = (what: "follows" | "knows" | "refuses it"): string =>
  `A running service ${what} within ${takesEffectWithin / 1000} seconds.`;
