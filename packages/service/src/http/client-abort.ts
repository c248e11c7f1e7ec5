import type { Response } from "express";

const signals = new WeakMap<Response, AbortSignal>();

/** Returns the signal that aborts when the client disconnects before its answer was sent. */
export function abortOnClientClose(res: Response): AbortSignal {
  const known = signals.get(res);
  if (known !== undefined) return known;
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  signals.set(res, controller.signal);
  return controller.signal;
}
