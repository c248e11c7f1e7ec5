import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Response } from "express";
import type { Step } from "./routes.ts";

/** Milliseconds of each turn of the event loop in which new requests are started. */
const share = 10;

const arrivals = new WeakMap<IncomingMessage, number>();

/** Returns when the headers of a request arrived, by the clock of `performance.now()`. */
export const arrivalOf = (req: IncomingMessage): number => arrivals.get(req) ?? performance.now();

/**
 * Queues requests and starts them in the order of arrival, for at most {@link share} ms in each turn of the event loop. Otherwise many
 * requests that arrive at the same time, each on its own connection, would all be started in one turn, while timers and answers wait.
 * Health checks go first.
 */
export function queueRequests(listener: RequestListener): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  let isBeginning = false;
  const begin = async () => {
    isBeginning = true;
    let end = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (performance.now() > end) {
        // Runs after all input that has arrived in this turn was read.
        await setImmediate();
        end = performance.now() + share;
      }
      const [req, res] = next;
      if (!res.closed && !res.destroyed) listener(req, res);
      await ticks();
    }
    isBeginning = false;
  };
  return (req, res) => {
    arrivals.set(req, performance.now());
    if (req.url?.startsWith("/health/") === true) waiting.unshift([req, res]);
    else waiting.push([req, res]);
    if (!isBeginning) void begin();
  };
}

/** Resolves after the pending `nextTick` callbacks and microtasks, which belong to the request that was started. */
const ticks = () => new Promise<void>((resolve) => process.nextTick(resolve));

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
