/*
 * Loaded with `--import` into a service that another process has forked: tells that process of each time that the main
 * thread holds its event loop for long. Counted is CPU time, so that a busy machine is not taken for a busy thread.
 */
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** `longest` and `delay` are in milliseconds: CPU time between two turns, and the longest delay of a timer. */
export type BlockReport = { readonly longest: number; readonly delay: number; readonly rss: number };
export type Block = { readonly block: number };

const tick = 5;
/** Startup, and code that is compiled for the first time, are not counted. */
export const blockLimit = 50;

/** CPU time of the main thread in milliseconds. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function cpuOfThread(): number {
  const [nanoseconds = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

function monitor(send: (message: BlockReport | Block) => void): void {
  const delay = monitorEventLoopDelay({ resolution: tick });
  let longest = 0;
  let before = cpuOfThread();
  setInterval(() => {
    const now = cpuOfThread();
    const block = now - before;
    before = now;
    longest = Math.max(longest, block);
    if (block > blockLimit) send({ block });
  }, tick).unref();
  process.on("message", (message) => {
    if (message === "reset") {
      delay.reset();
      delay.enable();
      longest = 0;
    }
    if (message === "report") send({ longest, delay: delay.max / 1e6, rss: process.memoryUsage.rss() });
  });
}

if (isMainThread && process.send !== undefined) monitor((message) => process.send?.(message));
