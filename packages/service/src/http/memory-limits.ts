import { totalmem } from "node:os";

/** Least memory of a process, in megabytes. */
export const leastMemory = 256;

/** Settings that the limits derive from: CADASTRE_MEMORY, in megabytes, and CADASTRE_READERS. */
type Shared = { readonly memory: number | undefined; readonly readers: number };

/** Memory limits of the service. All of them are derived from one number: see `CADASTRE_MEMORY`. */
export type MemoryLimits = {
  /** Bytes that all answers in progress may hold. */
  readonly answers: number;
  /** Bytes that the answers of one customer may hold. */
  readonly customer: number;
  /** Bytes that request bodies may hold while they are read and answered; one customer may use a quarter of them. */
  readonly bodies: number;
  /** Bytes that the heads of requests that are being read may hold, and likewise those of requests that are being answered. */
  readonly heads: number;
  /** Heap of the main thread, in megabytes. */
  readonly heap: number;
  /** Heap of each thread that queries or checks a database, in megabytes. */
  readonly threadHeap: number;
  /**
   * Bytes of the block in which each reader thread writes its answers; it takes up memory once it is used. Two threads' blocks hold more than
   * a customer's answers: those that find no place are buffers of their own, for which V8 collects garbage again and again.
   */
  readonly threadBuffers: number;
  /** Bytes of the database that each reader thread keeps in its page cache: the inner pages of its indexes, above all. */
  readonly pageCache: number;
};

const megabyte = 1024 * 1024;

/** In megabytes. Half of it sufficed in a measurement to read a page of 1,000 complete records with full metadata. */
const smallestThreadHeap = 48;

/** Largest default of a process, in megabytes: more memory must be configured explicitly. */
const largestDefault = 1024;

/**
 * Returns the default of `CADASTRE_MEMORY`, in megabytes: three quarters of the container's limit, which Node reads from the control group,
 * or, without a limit, a quarter of the machine's memory.
 *
 * @param processes processes that answer requests
 * @param container limit of the container, in bytes; without a limit, 0 or a number larger than the machine's memory
 */
export function defaultMemory(
  processes: number,
  container = process.constrainedMemory(),
  machine = totalmem(),
): number {
  const isLimited = container > 0 && container < machine;
  const bytes = isLimited ? container * 0.75 : machine * 0.25;
  return Math.min(
    largestDefault * processes,
    Math.max(leastMemory * processes, Math.floor(bytes / megabyte)),
  );
}

/** Divides `memory`, in megabytes, between the main thread, answers and `threads` reader threads. The rest is left to the process. */
export const memoryLimits = (memory: number, threads: number): MemoryLimits => ({
  bodies: (memory * megabyte) / 32,
  heads: (memory * megabyte) / 32,
  heap: Math.floor((memory * 5) / 16),
  answers: (memory * megabyte * 3) / 16,
  customer: (memory * megabyte * 3) / 64,
  threadHeap: Math.max(smallestThreadHeap, Math.floor(memory / 8 / threads)),
  threadBuffers: (memory * megabyte * 7) / 64 / threads,
  pageCache: Math.floor((memory * megabyte * 5) / 64 / threads),
});

/** Memory of the primary, which answers no requests, in megabytes. */
const primaryMemory = 64;

/**
 * Returns the configuration of one of the machine's processes, which share memory and reader threads. Each has two threads at least, if
 * the setting is not 1: a scan leaves the other one to pages.
 */
export function configOfProcess<C extends Shared & { readonly processes: number }>(config: C): C {
  const { processes, readers, memory = defaultMemory(processes) } = config;
  if (processes === 1) return config;
  return {
    ...config,
    memory: Math.floor((memory - primaryMemory) / processes),
    readers: Math.max(Math.min(2, readers), Math.ceil(readers / processes)),
  };
}

/** Returns the limits for the configuration of a process. Besides the threads that read pages there are half as many for scans. */
export const memoryLimitsOf = ({ memory, readers }: Shared): MemoryLimits =>
  memoryLimits(memory ?? defaultMemory(1), Math.ceil(readers * 1.5));
