import { effect, type ReadonlySignal, signal } from "@preact/signals";

/** Result of a request: not yet there, there, or failed. A value stays while the next one is on its way. */
export type Loaded<T> = {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
};

const nothing = { value: undefined, error: undefined, isLoading: false };

/**
 * Returns a signal of what `start` resolves to. It is started again, and what was on its way is aborted, when a signal changes that it has
 * read. Undefined: there is nothing to ask for.
 */
export function loaded<T>(start: (signal: AbortSignal) => Promise<T> | undefined): ReadonlySignal<Loaded<T>> {
  const state = signal<Loaded<T>>(nothing);
  effect(() => {
    const controller = new AbortController();
    const promise = start(controller.signal);
    state.value = promise === undefined ? nothing : { ...state.peek(), isLoading: true };
    promise?.then(
      (value) => {
        if (!controller.signal.aborted) state.value = { value, error: undefined, isLoading: false };
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const failure = error instanceof Error ? error : new Error(String(error));
        state.value = { value: undefined, error: failure, isLoading: false };
      },
    );
    return () => controller.abort();
  });
  return state;
}
