import { setTimeout } from "node:timers/promises";
import type { Attempt } from "./registry/guarded.ts";

/** Milliseconds between two attempts. */
const pause = 5;

/**
 * Attempts again while another process has the file, for so many milliseconds. SQLite itself would wait on the thread,
 * and hold up everything else on it.
 */
export const patientFor =
  (wait: number): Attempt =>
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
