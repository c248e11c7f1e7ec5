import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { TurnQueue } from "@cadastre/delivery";
import type { Response } from "express";
import type { Step } from "./routes.ts";

/** Milliseconds of each turn of the event loop in which new requests are started. */
const share = 10;

const arrivalKey = Symbol("arrival");

type Arrived = IncomingMessage & { [arrivalKey]?: number };

/** Returns when the headers of a request arrived, by the clock of `performance.now()`. */
export const arrivalOf = (req: Arrived): number => req[arrivalKey] ?? performance.now();

/**
 * Starts requests in the order of arrival, for at most {@link share} ms in each turn of the event loop: many may arrive at the same time,
 * each on its own connection. Health checks go first.
 */
export function queueRequests(listener: RequestListener): RequestListener {
  const queue = new TurnQueue(share);
  const start = async (req: IncomingMessage, res: ServerResponse & { req: IncomingMessage }) => {
    await (req.url?.startsWith("/health/") === true ? queue.first() : queue.next());
    if (!res.closed && !res.destroyed) listener(req, res);
  };
  return (req: Arrived, res) => {
    req[arrivalKey] = performance.now();
    void start(req, res);
  };
}

const signalKey = Symbol("client gone");

/** Returns the signal that aborts when the client disconnects before its answer was sent. */
export function abortOnClientClose(res: Response & { [signalKey]?: AbortSignal }): AbortSignal {
  const known = res[signalKey];
  if (known !== undefined) return known;
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  res[signalKey] = controller.signal;
  return controller.signal;
}

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
