import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of records after which garbage is collected. */
const most = 4 * 1024 ** 2;

/**
 * Collects the young garbage of a thread each time that some megabytes of records have been read. Their buffers, or those of the connection that
 * they came by, lie outside of the heap, and V8 counts them until it collects young garbage; it does so once the heap is full, and marks the whole
 * heap before that: in a reader thread from some 10 MB on, in a process that was idle for minutes each time after as much.
 */
export class YoungGarbage {
  #collect: NodeJS.GCFunction | undefined;
  #bytes = 0;

  /** @param bytes size of the records that have been read */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < most) return;
    this.#bytes = 0;
    this.#collect ??= exposedCollector();
    this.#collect?.({ type: "minor" });
  }
}

/** Returns V8's function that collects garbage; undefined if this version does not have it. */
function exposedCollector(): NodeJS.GCFunction | undefined {
  setFlagsFromString("--expose-gc");
  const collector: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return collector as NodeJS.GCFunction | undefined;
}
