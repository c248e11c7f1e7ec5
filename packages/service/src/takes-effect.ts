/**
 * Longest time until an operator's change takes effect in a running service, in milliseconds: keys, entitlements, builds, profiles and
 * identities.
 */
export const takesEffectWithin = 2000;

/** Returns the sentence that says when a running service notices a command's change. */
export const runningService = (what: "follows" | "knows" | "refuses it"): string =>
  `A running service ${what} within ${takesEffectWithin / 1000} seconds.`;
