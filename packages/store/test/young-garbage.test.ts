import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { YoungGarbage } from "../src/read/young-garbage.ts";

const megabyte = 1024 ** 2;

const isMinor = (entry: PerformanceEntry): boolean =>
  (entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR;

test("young garbage is collected once for each 4 MB of records", async () => {
  const seen: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void seen.push(...list.getEntries()));
  const garbage = new YoungGarbage();
  observer.observe({ entryTypes: ["gc"] });
  const collectionsOf = async (bytes: number) => {
    seen.length = 0;
    garbage.add(bytes);
    await setImmediate();
    seen.push(...observer.takeRecords());
    return seen.filter(isMinor).length;
  };
  const counts: number[] = [];
  for (let i = 0; i < 8; i++) counts.push(await collectionsOf(megabyte));
  observer.disconnect();
  // Node may collect at other times as well.
  expect([counts[3], counts[7]].every((count = 0) => count > 0)).toBe(true);
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(counts.length);
});
