import { setFlagsFromString } from "node:v8";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { Recent } from "../recent.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData, ReturnedMemory } from "./messages.ts";
import { keptPlans } from "./reader.ts";

const program = new URL("./worker.js", import.meta.url);

export type ThreadEvents = {
  readonly reply: (reply: ReaderReply) => void;
  /** The thread is gone and answers nothing more. */
  readonly lost: (cause: unknown) => void;
};

export type ReaderThreadOptions = Omit<ReaderWorkerData, "canceled"> & {
  /** Heap of the thread in megabytes, at most; undefined for Node's default. */
  readonly heap: number | undefined;
};

/** Rows of a page die young: they fit into a young generation that is small, and need not be collected often. */
const maxYoungGenerationSizeMb = 8;

/** Limits of a thread's memory. `--max-old-space-size` would replace them: the main thread, which it is for, has taken it at its start. */
function limitsOf(heap: number | undefined): ResourceLimits {
  if (heap === undefined) return {};
  setFlagsFromString("--max-old-space-size=0");
  return { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb };
}

/** A thread with a connection of its own. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(4));
  /** The plans that the thread keeps: it forgets the same ones, for it sees the same tasks. */
  readonly #plans = new Recent<number, true>(keptPlans);

  constructor({ heap, ...options }: ReaderThreadOptions, { reply, lost }: ThreadEvents) {
    const canceled = this.#canceled.buffer as SharedArrayBuffer;
    const workerData: ReaderWorkerData = { ...options, canceled };
    this.#worker = new Worker(program, {
      workerData,
      name: "cadastre-reader",
      resourceLimits: limitsOf(heap),
    });
    // Node hands out messages without a turn of the event loop for as long as more arrive, and the reply may bring the next task at once.
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

  /** End the query at hand, soon. */
  cancel(): void {
    Atomics.store(this.#canceled, 0, 1);
  }

  /** While idle it does not keep the process alive. */
  hold(busy: boolean): void {
    if (busy) this.#worker.ref();
    else this.#worker.unref();
  }

  #withoutKnownPlan(task: ReaderTask): ReaderTask {
    const { page } = task.request;
    if (page === undefined) return task;
    const { id } = page.plan;
    const isKnown = this.#plans.has(id);
    this.#plans.get(id, () => true);
    return isKnown ? { ...task, request: { ...task.request, page: { ...page, plan: { id } } } } : task;
  }

  #withRelease(message: ReaderReply): ReaderReply {
    const { result } = message;
    if (result?.page === undefined) return message;
    const memory = result.page.records.buffer as ArrayBuffer;
    const release = () => {
      if (memory.byteLength > 0) this.#worker.postMessage({ memory } satisfies ReturnedMemory, [memory]);
    };
    return { ...message, result: { ...result, page: { ...result.page, release } } };
  }

  async end(): Promise<void> {
    this.cancel();
    this.#worker.removeAllListeners();
    await this.#worker.terminate();
  }
}
