import type { Step } from "./chain.ts";

/**
 * Closes the connection of a client that reads nothing of its answer for `seconds`. A client that reads slowly is left alone: the timer
 * restarts with every byte that the system accepts for it. While the service is still preparing the answer, nothing is buffered, so no
 * connection is closed.
 */
export const closeIdleClients =
  (seconds: number): Step =>
  (_req, res) => {
    res.setTimeout(seconds * 1000, () => {
      if (res.writableLength > 0) res.destroy();
    });
  };
