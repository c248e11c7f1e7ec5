import type { IncomingMessage, RequestListener } from "node:http";
import { setImmediate } from "node:timers/promises";

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
