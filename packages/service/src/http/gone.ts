import type { Response } from "express";

/** A signal that aborts when the client is gone before its answer. */
export function signalOfClose(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
