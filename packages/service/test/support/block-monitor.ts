/*
 * Loaded with `--import` into a forked service. Reports to the parent process each time that the main thread blocks its event loop for
 * long. Measures CPU time, so that a busy machine does not look like a busy thread.
 */
import { isMainThread } from "node:worker_threads";
import { openThreadClock } from "../../src/http/event-loop.ts";

/** `longest` is the most CPU time of one turn of the event loop since the last reset, in milliseconds. */
export type BlockReport = { readonly longest: number; readonly rss: number };
/** CPU time of a turn that took longer than {@link blockLimit}, in milliseconds. */
export type Block = { readonly block: number };

const tick = 5;
export const blockLimit = 50;

function monitor(send: (message: BlockReport | Block) => void): void {
  let longest = 0;
  const clock = openThreadClock();
  let before = clock.milliseconds();
  setInterval(() => {
    const now = clock.milliseconds();
    const block = now - before;
    before = now;
    longest = Math.max(longest, block);
    if (block > blockLimit) send({ block });
  }, tick).unref();
  process.on("message", (message) => {
    if (message === "reset") longest = 0;
    if (message === "report") send({ longest, rss: process.memoryUsage.rss() });
  });
}

if (isMainThread && process.send !== undefined) monitor((message) => process.send?.(message));
