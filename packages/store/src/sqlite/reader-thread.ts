import { Worker } from "node:worker_threads";
import { Recent } from "../record/recent.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData } from "./messages.ts";
import { keptPlans } from "./reader.ts";
import { contentOf, release } from "./slabs.ts";

const program = new URL("./worker.js", import.meta.url);

export type ThreadEvents = {
  readonly reply: (reply: ReaderReply) => void;
  /** The thread is gone and answers nothing more. */
  readonly lost: (cause: unknown) => void;
};

/** A thread with a connection of its own. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(4));
  /** The plans that the thread keeps: it forgets the same ones, for it sees the same tasks. */
  readonly #plans = new Recent<number, true>(keptPlans);
  readonly #slabs = new Map<number, SharedArrayBuffer>();

  constructor(file: string, { reply, lost }: ThreadEvents) {
    const workerData: ReaderWorkerData = { file, canceled: this.#canceled.buffer as SharedArrayBuffer };
    this.#worker = new Worker(program, { workerData, name: "cadastre-reader" });
    this.#worker.on("message", (message: ReaderReply) => reply(this.#withRecords(message)));
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

  #withRecords(message: ReaderReply): ReaderReply {
    const { result, slab } = message;
    if (slab === undefined || result?.page === undefined) return message;
    if (slab.replaced !== undefined) this.#slabs.delete(slab.replaced);
    if (slab.memory !== undefined) this.#slabs.set(slab.id, slab.memory);
    const memory = this.#slabs.get(slab.id);
    if (memory === undefined)
      throw new RangeError("a reading thread answers in memory that it has not shown");
    const records = contentOf(memory).subarray(slab.start, slab.end);
    return {
      ...message,
      result: { ...result, page: { ...result.page, records, release: () => release(memory) } },
    };
  }

  async end(): Promise<void> {
    this.cancel();
    this.#worker.removeAllListeners();
    await this.#worker.terminate();
  }
}
