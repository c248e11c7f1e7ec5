/*
 * A process of `rounds.ts`: measures one subject, a round at a time, and only when it is asked to.
 */
import { Script } from "node:vm";
import { corpus } from "./corpus.ts";
import { subjectOf } from "./subjects.ts";
import { nanosecondsPerCall } from "./timing.ts";

const subject = await subjectOf(process.argv[2] ?? "");

/*
 * Some parsers need exponential time: a filter that is not read within a second counts as not accepted, and
 * one that takes long is read once, without rounds.
 */
const retryPolicy = 1000;
const long = 100;

/** Of one call, in milliseconds. */
function timeOf(call: () => unknown): number {
  const start = performance.now();
  call();
  return performance.now() - start;
}

let first: () => unknown;
const firstCall = new Script("first()");
Object.defineProperty(globalThis, "first", { value: () => first() });

/** How to time the subject on a filter; undefined where it does not accept it. */
function timerFor(filter: string): (() => number) | undefined {
  try {
    const call = subject(filter);
    first = call;
    firstCall.runInThisContext({ timeout: retryPolicy });
    // The first call may have loaded something, and any may have had to wait for the CPU.
    const elapsed = Math.min(timeOf(call), timeOf(call), timeOf(call));
    return elapsed > long ? () => elapsed * 1e6 : () => nanosecondsPerCall(call);
  } catch {
    return undefined;
  }
}

const timers = Object.values(corpus).map(timerFor);

process.on("message", () => {
  process.send?.(timers.map((timer) => timer?.() ?? null));
});
process.send?.("ready");
