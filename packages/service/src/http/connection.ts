import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TurnQueue } from "@cadastre/delivery";
import type { Response } from "express";
import type { Step } from "./routes.ts";

/** Milliseconds of each turn of the event loop in which new requests are started. */
const share = 10;

const arrivals = new WeakMap<IncomingMessage, number>();

/** Returns when the headers of a request arrived, by the clock of `performance.now()`. */
export const arrivalOf = (req: IncomingMessage): number => arrivals.get(req) ?? performance.now();

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
  return (req, res) => {
    arrivals.set(req, performance.now());
    void start(req, res);
  };
}

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

const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Closes a response together with its connection, also while it waits for its turn behind other responses of the connection. Node closes
 * only the response that is being sent: the others would never emit `close`, and what is released then would be held forever.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const queue = queues.get(socket) ?? watched(socket);
  // Responses close in the order of their requests, so that only the first ones can be closed.
  for (const earlier of queue) {
    if (!earlier.closed) break;
    queue.delete(earlier);
  }
  queue.add(response);
}

function watched(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once("close", () => {
    for (const response of queue) {
      // A response that has the socket is closed by Node.
      if (response.socket !== null) continue;
      response.destroy();
      response.emit("close");
    }
  });
  return queue;
}
