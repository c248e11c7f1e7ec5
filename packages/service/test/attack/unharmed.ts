import { expect } from "vitest";
import { figuresOf, median, type Seen } from "./under-attack.ts";

/** Most memory that an attack may add, in megabytes. */
const bound = 512;

/** Bounds of the median and the longest answer time of `/health/live`, in milliseconds. The machine may be busy with other things. */
const healthy = 100;
const slowest = 2000;

/** Longest CPU time that the main thread may block its event loop, in milliseconds, unless the machine takes half as long for new memory. */
const longest = 50;

/** Bytes that one collection of V8's young generation moves to new memory at most. */
const youngGeneration = 16 * 1_048_576;

/**
 * Returns the CPU time that this machine takes at worst to fill new memory of a whole young generation, in milliseconds: 1 to 3 where the
 * memory is at hand, and 60 in a virtual machine that is given each page when it is first used.
 */
function timeOfNewMemory(): number {
  // Kept, so that no memory is filled twice.
  const filled: Uint8Array[] = [];
  const times = Array.from({ length: 8 }, () => {
    const before = process.cpuUsage();
    filled.push(new Uint8Array(youngGeneration).fill(1));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(...times);
}

/** Checks that the process stayed within its bounds, and that every request of the bystander was answered. */
export function requireUnharmed(seen: Seen): void {
  const { isAlive, rest, peak, health, bystander, block, group } = seen;
  if (process.env["ATTACK"] !== undefined) console.info(figuresOf(seen));
  expect(isAlive).toBe(true);
  expect(peak).toBeLessThan(rest + bound);
  expect(group?.kills ?? 0).toBe(0);
  expect(block.cpu).toBeLessThan(Math.max(longest, 2 * timeOfNewMemory()));
  expect(median(health)).toBeLessThan(healthy);
  expect(Math.max(...health)).toBeLessThan(slowest);
  expect(bystander.length).toBeGreaterThan(0);
  expect(bystander.filter((status) => status !== 200)).toEqual([]);
}
