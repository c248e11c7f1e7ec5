/** Length of one measurement, in milliseconds. */
const duration = 4;

/** Read after every measurement, so that no call is without effect. */
export let sink: unknown;

/** Time of one call, in nanoseconds: the mean over some milliseconds. */
export function nanosecondsPerCall(call: () => unknown): number {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  // The clock is read seldom where a call is short.
  for (let batch = 1; elapsed < duration; batch = Math.min(2 * batch, 64)) {
    for (let i = 0; i < batch; i += 1) sink = call();
    calls += batch;
    elapsed = performance.now() - start;
  }
  return (elapsed * 1e6) / calls;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
