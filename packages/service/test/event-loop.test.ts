import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { monitorEventLoop } from "../src/http/event-loop.ts";

/** Holds the event loop for so many milliseconds. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Returns the longest turn of `work`. */
async function longestTurnOf(work: () => void) {
  const { take, stop } = monitorEventLoop();
  onTestFinished(stop);
  take();
  // The histogram begins to measure with the first turn after it was reset.
  await wait(50);
  work();
  await wait(50);
  return take();
}

test("a block is measured once, and a sleeping thread takes no CPU time", async () => {
  const held = await longestTurnOf(() => block(120));
  expect(held.elapsed).toBeGreaterThan(0.11);
  // Less than what elapses where the machine runs other programs meanwhile.
  expect(held.cpu).toBeGreaterThan(0);
  expect((await longestTurnOf(() => {})).cpu).toBeLessThan(0.1);
  const asleep = await longestTurnOf(
    () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120),
  );
  expect(asleep.elapsed).toBeGreaterThan(0.11);
  expect(asleep.cpu).toBeLessThan(asleep.elapsed);
});
