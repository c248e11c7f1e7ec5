import { setTimeout } from "node:timers/promises";

export type PollingOptions = {
  readonly signal: AbortSignal;
  /** Wait after a call that found nothing to do, or failed, in milliseconds. */
  readonly interval: number;
  /** Called with the first of successive failures. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
};

/**
 * Calls `work` until the signal aborts. It returns true if it found something to do, and is then called again at once.
 */
export async function pollForWork(
  work: () => Promise<boolean>,
  { signal, interval, onFailure = () => {} }: PollingOptions,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    let isBusy = false;
    try {
      isBusy = await work();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted) onFailure(error);
      isFailing = true;
    }
    if (!isBusy) await setTimeout(interval, undefined, { signal }).catch(() => {});
  }
}
