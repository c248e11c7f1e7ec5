/**
 * Longest time until an operator's change takes effect in a running service, in milliseconds: keys, entitlements, builds, profiles and
 * identities.
 */
export const takesEffectWithin = 2000;

/**
 * Returns the sentence that says when a running service acts on a command's change.
 *
 * @param reaction `follows` and `knows`: it goes by the change; `refuses it`: it refuses the key that the command has revoked
 */
export const takesEffectText = (reaction: "follows" | "knows" | "refuses it"): string =>
  `A running service ${reaction} within ${takesEffectWithin / 1000} seconds.`;
