import { expect } from "vitest";
import { figuresOf, median, type Seen } from "./under-attack.ts";

/** Most memory that an attack may add, in megabytes. */
const bound = 512;

/** Bounds of the median and the longest answer time of `/health/live`, in milliseconds. The machine may be busy with other things. */
const healthy = 100;
const slowest = 2000;

/** Longest CPU time that the main thread may block its event loop, in milliseconds. */
const longest = 50;

/** Checks that the process stayed within its bounds, and that every request of the bystander was answered. */
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
