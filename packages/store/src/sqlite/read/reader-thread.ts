import { setFlagsFromString } from "node:v8";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { LruCache } from "@cadastre/odata/lru-cache";
import { releaseOnce } from "./answer-memory.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData, ReturnedAnswer } from "./messages.ts";
import { keptPlans } from "./reader.ts";

const program = new URL("./worker.js", import.meta.url);

export type ThreadEvents = {
  readonly reply: (reply: ReaderReply) => void;
  /** The thread has ended and will not reply any more. */
  readonly lost: (cause: unknown) => void;
};

export type ReaderThreadOptions = Omit<ReaderWorkerData, "canceled"> & {
  /** Maximum heap of the thread in megabytes; undefined for Node's default. */
  readonly heap: number | undefined;
};

/** Rows of a page are short-lived: a small young generation holds them, and need not be collected often. */
const maxYoungGenerationSizeMb = 8;

/** Returns V8's limits of the thread. Resets `--max-old-space-size`, which would override them; the main thread applied it at its start. */
function limitsOf(heap: number | undefined): ResourceLimits {
  if (heap === undefined) return {};
  setFlagsFromString("--max-old-space-size=0");
  return { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb };
}

/** A worker thread with its own database connection. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(4));
  /** Ids of the plans that the thread has cached. Both LRU caches see the same tasks, so they evict the same entries. */
  readonly #plans = new LruCache<number, true>(keptPlans);

  constructor({ heap, ...options }: ReaderThreadOptions, { reply, lost }: ThreadEvents) {
    const canceled = this.#canceled.buffer as SharedArrayBuffer;
    const workerData: ReaderWorkerData = { ...options, canceled };
    this.#worker = new Worker(program, {
      workerData,
      name: "cadastre-reader",
      resourceLimits: limitsOf(heap),
    });
    // Node delivers all queued messages in one turn of the event loop, even those that arrive meanwhile. `setImmediate` lets others run.
    this.#worker.on("message", (message: ReaderReply) =>
      setImmediate(() => reply(this.#withRelease(message))),
    );
    this.#worker.once("error", lost);
    this.#worker.once("exit", (code) => lost(new Error(`a reading thread has ended (${code})`)));
  }

  post(task: ReaderTask): void {
    Atomics.store(this.#canceled, 0, 0);
    this.#worker.postMessage(this.#withoutKnownPlan(task));
  }

  /** Cancels the query in progress, soon. */
  cancel(): void {
    Atomics.store(this.#canceled, 0, 1);
  }

  /** Keeps the process alive while the thread is busy, and not while it is idle. */
  hold(busy: boolean): void {
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  #withoutKnownPlan(task: ReaderTask): ReaderTask {
    const { page, changes } = task.request;
    const planned = page ?? changes;
    if (planned === undefined) return task;
    const { id } = planned.plan;
    const isKnown = this.#plans.has(id);
    this.#plans.get(id, () => true);
    if (!isKnown) return task;
    const known =
      page === undefined ? { changes: { ...changes, plan: { id } } } : { page: { ...page, plan: { id } } };
    return { ...task, request: { ...task.request, ...known } as ReaderTask["request"] };
  }

  #withRelease(message: ReaderReply): ReaderReply {
    const { page, changes } = message.result ?? {};
    const records = page?.records ?? changes?.records;
    if (message.result === undefined || records === undefined) return message;
    const release = releaseOnce(records, (returned) =>
      this.#worker.postMessage({ returned } satisfies ReturnedAnswer),
    );
    const result = {
      ...message.result,
      page: page && { release, ...page },
      changes: changes && { release, ...changes },
    };
    return { ...message, result };
  }

  async end(): Promise<void> {
    this.cancel();
    this.#worker.removeAllListeners();
    await this.#worker.terminate();
  }
}
