import type { IncomingMessage, RequestListener } from "node:http";
import { setImmediate } from "node:timers/promises";

/** Milliseconds of each turn of the event loop in which new requests are begun. */
const share = 10;

const arrivals = new WeakMap<IncomingMessage, number>();

/** Returns when the headers of a request had arrived, by the clock of `performance.now()`. */
export const arrivalOf = (req: IncomingMessage): number => arrivals.get(req) ?? performance.now();

/**
 * Begins requests in the order of their arrival, for a part of each turn of the event loop only. Many that arrive at the same time, each on a
 * connection of its own, would all be begun in one turn, and timers and answers would wait for all of them. Requests for the health of the service
 * go first.
 */
export function limitTurns(listener: RequestListener): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  let isBeginning = false;
  const begin = async () => {
    isBeginning = true;
    let end = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (performance.now() > end) {
        // At the end of a turn, when all that has arrived in it was read.
        await setImmediate();
        end = performance.now() + share;
      }
      const [req, res] = next;
      if (!res.closed) listener(req, res);
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

/** Settles when all that needs no other turn has run: it belongs to the requests that were begun. */
const ticks = () => new Promise<void>((resolve) => process.nextTick(resolve));
