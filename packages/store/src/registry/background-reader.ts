import { Worker } from "node:worker_threads";

type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A statement of a thread that reads, with its values. */
export type ReadTask = {
  readonly id: number;
  readonly text: string;
  readonly values: Bindings;
};

export type ReadReply = { readonly id: number } & (
  | { readonly rows: readonly unknown[]; readonly fault?: undefined }
  | { readonly fault: { readonly code: string; readonly message: string } }
);

/** Runs statements that read, in the form that `knex.raw` takes: a host for the sources of `@cadastre/server/knex`. */
export type BackgroundReader = {
  readonly client: { readonly config: { readonly client?: unknown } };
  raw(text: string, bindings: Bindings): PromiseLike<unknown>;
};

const program = new URL("./read-thread.js", import.meta.url);

type Waiting = {
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Reads a SQLite file in a thread of its own, one statement after the other, so that a long one does not block the event loop. The thread is
 * started by the first statement. It reads what was committed, and registers no functions.
 */
export class ThreadReader implements BackgroundReader {
  readonly client = { config: { client: "better-sqlite3" } } as const;
  readonly #file: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(file: string) {
    this.#file = file;
  }

  raw(text: string, bindings: Bindings): Promise<unknown> {
    // knex has a backslash before a colon that begins no binding; SQLite takes named bindings as they are.
    const task = { id: ++this.#last, text: text.replaceAll("\\:", ":"), values: bindings };
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { resolve, reject });
      const worker = this.#worker ?? this.#start();
      worker.ref();
      worker.postMessage(task satisfies ReadTask);
    });
  }

  /** Ends the thread after the statement in progress. That and all that wait fail. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(program, { workerData: this.#file, name: "cadastre-registry-reader" });
    worker.on("message", (reply: ReadReply) => this.#settle(reply));
    worker.once("error", (error) => this.#lose(error as Error));
    worker.once("exit", () => this.#lose(new Error("the thread that reads the registry has ended")));
    this.#worker = worker;
    return worker;
  }

  #settle(reply: ReadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    // The thread keeps the process alive while it works, and not while it is idle.
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (reply.fault === undefined) waiting?.resolve(reply.rows);
    else waiting?.reject(Object.assign(new Error(reply.fault.message), { code: reply.fault.code }));
  }

  #lose(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
