import type { Step } from "./steps.ts";

/**
 * Closes the connection of a client that takes nothing of its answer for `seconds`. A client that reads slowly, but reads, is left alone:
 * the timer starts anew with every byte that the system takes for it. While the service itself is at work, nothing is pending and nobody is cut.
 */
export const cutIdleClients =
  (seconds: number): Step =>
  (_req, res) => {
    res.setTimeout(seconds * 1000, () => {
      if (res.writableLength > 0) res.destroy();
    });
  };
