/** Returns a signal that aborts when any of the given ones does. */
export const anySignal = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((one) => one !== undefined));

// A function, because the compiler assumes that a property does not change between two reads.
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
