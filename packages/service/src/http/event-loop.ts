import { closeSync, openSync, readSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** The longest turn of the event loop since the last call of `take`, in seconds. */
type LongestTurn = {
  /** Wall-clock time measured by `monitorEventLoopDelay`, including time in which the system ran other programs. */
  readonly elapsed: number;
  /** CPU time of the thread, which does not depend on the load of the machine. */
  readonly cpu: number;
};

export type EventLoopMonitor = {
  /** Returns the longest turn since the previous call and resets the measurement. */
  readonly take: () => LongestTurn;
  readonly stop: () => void;
};

/** Milliseconds between two measurements. A measured turn is too long by at most this much. */
const interval = 5;

/** Measures how long this thread blocks its event loop. */
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

/** Opens a clock of the main thread's CPU time. In another thread, or if the system does not report CPU time, it is a wall clock. */
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

/** Opens the file that starts with the thread's CPU time in nanoseconds. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function openSchedule(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}
