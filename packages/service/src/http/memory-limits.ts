import { totalmem } from "node:os";
import type { Config } from "../config.ts";

/** Memory limits of the service, in bytes. All of them follow from one number: see `CADASTRE_MEMORY`. */
export type MemoryLimits = {
  /** Bytes that all answers in progress may hold. */
  readonly answers: number;
  /** Bytes that the answers of one customer may hold. */
  readonly customer: number;
  /** Bytes that the bodies of requests may hold while they are read and answered; those of one customer, a quarter of them. */
  readonly bodies: number;
  /** Bytes of the heads of requests that are being read, and as many of those that are being answered. */
  readonly heads: number;
  /** Heap of the main thread, in megabytes. */
  readonly heap: number;
  /** Heap of each thread that reads or checks, in megabytes. */
  readonly threadHeap: number;
  /** Idle page buffers that each thread that reads keeps. */
  readonly threadBuffers: number;
  /** Bytes of the database that each of its connections reads in place. Each has a mapping of its own, counted once more in `VmRSS`. */
  readonly mapped: number;
};

/** Connections beside those of the threads: one that looks up by key, and one that writes. */
const ownConnections = 2;

const megabyte = 1024 * 1024;

/** Megabytes: a page of 1,000 whole records with full metadata was read with half of it. */
const smallestThreadHeap = 48;

/** Largest default, in megabytes: a service that holds more should be told to. */
const largestDefault = 1024;
const smallestDefault = 256;

/**
 * The memory that the service plans with where nothing is set, in megabytes: three quarters of the container's limit, which Node reads from
 * the control group, or a quarter of the machine's memory.
 *
 * @param container limit of the container, in bytes; of the size of the address space where there is none
 */
export function defaultMemory(container = process.constrainedMemory(), machine = totalmem()): number {
  const isLimited = container > 0 && container < machine;
  const bytes = isLimited ? container * 0.75 : machine * 0.25;
  return Math.min(largestDefault, Math.max(smallestDefault, Math.floor(bytes / megabyte)));
}

/** Divides `memory`, in megabytes, between the main thread, answers and `threads` that read. The rest is the process's own. */
export const memoryLimits = (memory: number, threads: number): MemoryLimits => ({
  bodies: (memory * megabyte) / 32,
  heads: (memory * megabyte) / 32,
  heap: Math.floor((memory * 5) / 16),
  answers: (memory * megabyte) / 4,
  customer: (memory * megabyte) / 16,
  threadHeap: Math.max(smallestThreadHeap, Math.floor(memory / 8 / threads)),
  threadBuffers: (memory * megabyte) / 32 / threads,
  mapped: Math.floor((memory * megabyte) / 16 / (threads + ownConnections)),
});

/** Limits of a service with these settings. Beside the threads that read pages, half as many read scans. */
export const memoryLimitsOf = ({ memory, readers }: Pick<Config, "memory" | "readers">): MemoryLimits =>
  memoryLimits(memory ?? defaultMemory(), Math.ceil(readers * 1.5));
