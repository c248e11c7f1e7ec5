import { expect, test } from "vitest";
import { pollForWork } from "../src/index.ts";

test("work is looked for until it is stopped, and successive failures are told once", async () => {
  const stopping = new AbortController();
  const told: unknown[] = [];
  let calls = 0;
  const work = async () => {
    calls++;
    if (calls === 6) stopping.abort();
    if (calls === 2 || calls === 3 || calls === 5) throw new Error(`call ${calls}`);
    return calls === 1;
  };
  const started = performance.now();
  await pollForWork(work, {
    signal: stopping.signal,
    interval: 30,
    onFailure: (error) => told.push(String(error)),
  });
  // There is no wait after the first call, which found something to do, nor after the stop.
  expect(performance.now() - started).toBeGreaterThanOrEqual(4 * 29);
  expect([calls, told]).toEqual([6, ["Error: call 2", "Error: call 5"]]);
});

test("a stop ends the wait", async () => {
  const stopping = new AbortController();
  const polling = pollForWork(async () => false, { signal: stopping.signal, interval: 60_000 });
  setTimeout(() => stopping.abort(), 20);
  const started = performance.now();
  await polling;
  expect(performance.now() - started).toBeLessThan(5000);
});
