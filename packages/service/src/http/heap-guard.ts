import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { Refused } from "../errors.ts";
import type { Step } from "./routes.ts";

/** Largest share of its limit that the heap may hold after a full garbage collection. */
const most = 0.85;

/** Reports when the heap of this thread is nearly full. */
export type HeapGuard = { readonly isFull: () => boolean; readonly stop: () => void };

type Collection = { readonly detail: { readonly kind: number } };
type Statistics = () => { readonly used_heap_size: number; readonly heap_size_limit: number };

/**
 * Measures the heap after each full garbage collection: before one it may hold garbage up to its limit. At the limit V8 would end the
 * process.
 *
 * @param statistics by default those of V8
 */
export function guardHeap(statistics: Statistics = getHeapStatistics): HeapGuard {
  const isNearLimit = () => {
    const { used_heap_size: used, heap_size_limit: limit } = statistics();
    return used > limit * most;
  };
  let wasFull = false;
  const observer = new PerformanceObserver((list) => {
    const collections = list.getEntries() as unknown as readonly Collection[];
    const kinds = collections.map(({ detail }) => detail.kind);
    if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) wasFull = isNearLimit();
  });
  observer.observe({ entryTypes: ["gc"] });
  return { isFull: () => wasFull && isNearLimit(), stop: () => observer.disconnect() };
}

/** Refuses all requests except health checks while the heap is nearly full. */
export const refuseWhenFull =
  ({ isFull }: Pick<HeapGuard, "isFull">): Step =>
  ({ originalUrl }) => {
    if (isFull() && !originalUrl.startsWith("/health/")) throw new Refused("service_busy");
  };
