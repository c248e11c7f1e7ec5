import { constants, setPriority } from "node:os";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData, ReturnedMemory } from "./messages.ts";
import { type Memory, Reader } from "./reader.ts";

const smallest = 65_536;
/** Buffer sizes are rounded up by at most an eighth of the size, or to a multiple of {@link smallest}. */
const stepsOfSize = 8;

/**
 * Buffer pool of a thread for its pages. A page is transferred with its buffer to the thread that requested it, which returns the
 * buffer. Reusing buffers avoids garbage collection.
 */
export class BufferPool {
  /** Sorted by size. */
  readonly #idle: ArrayBuffer[] = [];
  readonly #most: number;
  #bytes = 0;

  /** @param most maximum total size of idle buffers, in bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a buffer of at least `bytes` bytes, reusing the smallest idle one that is large enough. */
  acquire(bytes: number): Buffer {
    const place = this.#idle.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = place < 0 ? [] : this.#idle.splice(place, 1);
    if (found === undefined) return Buffer.from(new ArrayBuffer(sizeFor(bytes)));
    this.#bytes -= found.byteLength;
    return Buffer.from(found);
  }

  release(memory: ArrayBuffer): void {
    this.#idle.push(memory);
    this.#bytes += memory.byteLength;
    this.#idle.sort((a, b) => a.byteLength - b.byteLength);
    // The smallest buffers are dropped first: a buffer that is too large is more useful than one that is too small.
    while (this.#bytes > this.#most) this.#bytes -= this.#idle.shift()?.byteLength ?? 0;
  }
}

function sizeFor(bytes: number): number {
  let power = smallest;
  while (power * 2 < bytes) power *= 2;
  const step = Math.max(smallest, power / stepsOfSize);
  return Math.ceil(Math.max(1, bytes) / step) * step;
}

// Queries wait while a thread starts, and most of that time is spent on imports. So only the modules of `odata` that run
// queries are imported.

/** Runs reads on a worker thread: each task is answered by one reply. */
function serve(port: MessagePort, { file, canceled, mapped, buffers, isLow }: ReaderWorkerData): void {
  // Linux sets the priority of the thread; other systems would change that of the whole process.
  if (isLow && process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
  const reader = new Reader(new Database(file, { readonly: true }), new Int32Array(canceled), mapped);
  const pool = new BufferPool(buffers);
  const memory: Memory = {
    take: (bytes) => pool.acquire(bytes),
    giveBack: (buffer) => pool.release(buffer),
  };
  port.on("message", (message: ReaderTask | ReturnedMemory) => {
    if ("memory" in message) return pool.release(message.memory);
    const reply = run(reader, message, memory);
    const records = reply.result?.page?.records;
    port.postMessage(reply, records === undefined ? [] : [records.buffer as ArrayBuffer]);
  });
}

function run(reader: Reader, { id, request }: ReaderTask, memory: Memory): ReaderReply {
  try {
    return { id, result: reader.read(request, memory) };
  } catch (error) {
    if (error instanceof StoreError) return { id, refused: { code: error.code, details: error.details } };
    return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (parentPort !== null) serve(parentPort, workerData as ReaderWorkerData);
