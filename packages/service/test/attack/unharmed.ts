import { expect } from "vitest";
import { figuresOf, median, type Seen } from "./under-attack.ts";

/** Megabytes that an attack may add. */
const bound = 512;

/** Milliseconds that `/health/live` takes at most; the slowest of many on a machine that does other things may take longer. */
const healthy = 100;
const slowest = 2000;

/** Milliseconds of CPU time that the main thread may hold its event loop. */
const longest = 50;

/** Requires that the process lives within its bounds, and that the bystander had every request answered. */
export function requireUnharmed(seen: Seen): void {
  const { isAlive, rest, peak, health, bystander, block, group } = seen;
  if (process.env["ATTACK"] !== undefined) console.info(figuresOf(seen));
  expect(isAlive).toBe(true);
  expect(peak).toBeLessThan(rest + bound);
  expect(group?.kills ?? 0).toBe(0);
  expect(block.cpu).toBeLessThan(longest);
  expect(median(health)).toBeLessThan(healthy);
  expect(Math.max(...health)).toBeLessThan(slowest);
  expect(bystander.length).toBeGreaterThan(0);
  expect(bystander.filter((status) => status !== 200)).toEqual([]);
}
