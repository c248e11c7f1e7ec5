import { Worker } from "node:worker_threads";
import type { ReaderReply, ReaderTask, ReaderWorkerData } from "./messages.ts";

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

  constructor(file: string, { reply, lost }: ThreadEvents) {
    const workerData: ReaderWorkerData = { file, canceled: this.#canceled.buffer as SharedArrayBuffer };
    this.#worker = new Worker(program, { workerData, name: "cadastre-reader" });
    this.#worker.on("message", reply);
    this.#worker.once("error", lost);
    this.#worker.once("exit", (code) => lost(new Error(`a reading thread has ended (${code})`)));
  }

  post(task: ReaderTask): void {
    Atomics.store(this.#canceled, 0, 0);
    this.#worker.postMessage(task);
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

  async end(): Promise<void> {
    this.cancel();
    this.#worker.removeAllListeners();
    await this.#worker.terminate();
  }
}
