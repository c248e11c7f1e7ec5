import { closeSync, openSync, readSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** The longest turn of the event loop since it was last taken, in seconds. */
type LongestTurn = {
  /** As measured by `monitorEventLoopDelay`: includes time in which the system ran another program. */
  readonly elapsed: number;
  /** CPU time of the thread: what its own code took, however busy the machine is. */
  readonly cpu: number;
};

export type EventLoopMonitor = {
  /** Returns the longest turn since the call before, and begins anew. */
  readonly take: () => LongestTurn;
  readonly stop: () => void;
};

/** Milliseconds between two measurements. A turn is measured as too long by this much at most. */
const interval = 5;

/** Measures how long the event loop of this thread is held. */
export function monitorEventLoop(): EventLoopMonitor {
  const histogram = monitorEventLoopDelay({ resolution: interval });
  histogram.enable();
  const clock = openThreadClock();
  let before = clock.milliseconds();
  let longest = 0;
  const timer = setInterval(() => {
    const now = clock.milliseconds();
    longest = Math.max(longest, now - before);
    before = now;
  }, interval);
  timer.unref();
  return {
    take: () => {
      const taken = { elapsed: histogram.max / 1e9, cpu: longest / 1e3 };
      histogram.reset();
      longest = 0;
      return taken;
    },
    stop: () => {
      clearInterval(timer);
      histogram.disable();
      clock.close();
    },
  };
}

export type ThreadClock = { readonly milliseconds: () => number; readonly close: () => void };

/** Clock of the CPU time of the main thread. Where the system does not tell it, or in another thread, of the time that passes. */
export function openThreadClock(): ThreadClock {
  const file = isMainThread ? openSchedule() : undefined;
  if (file === undefined) return { milliseconds: () => performance.now(), close: () => {} };
  const buffer = Buffer.alloc(64);
  return {
    milliseconds: () => {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
    },
    close: () => closeSync(file),
  };
}

/** Opens the file that starts with the nanoseconds on the CPU. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function openSchedule(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}
