import { setTimeout } from "node:timers/promises";

/** Runs work that may be repeated if it fails: it is done completely or not at all. */
export type Retry = <T>(work: () => Promise<T>) => Promise<T>;

/** Delay between two attempts, in milliseconds. */
const pause = 5;

/**
 * Retries while SQLite reports `SQLITE_BUSY`, for at most `wait` milliseconds. SQLite's own busy timeout would block the thread,
 * and with it all other work on the thread.
 */
export const retryWhileBusy =
  (wait: number): Retry =>
  async (work) => {
    const end = performance.now() + wait;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw error;
      }
      await setTimeout(pause);
    }
  };

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  typeof error.code === "string" &&
  error.code.startsWith("SQLITE_BUSY");
