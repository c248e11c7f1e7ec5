/** Sources of each signal of {@link anySignal}. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * Returns a signal that aborts when any of the given ones does, and holds them. `AbortSignal.any` of Node 20 does not: a source that nothing else
 * holds, such as `AbortSignal.timeout`, is collected with the garbage and never aborts.
 */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const given = signals.filter((one) => one !== undefined);
  const any = AbortSignal.any(given);
  sources.set(any, given);
  return any;
}
