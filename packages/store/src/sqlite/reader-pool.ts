import { StoreError } from "../errors.ts";
import type { ReadRequest, ReadResult } from "../read/request.ts";
import type { ReaderReply } from "./messages.ts";
import { ReaderThread } from "./reader-thread.ts";

export type ReaderPoolOptions = {
  /** Path of the database file. */
  readonly file: string;
  /** See `SqliteStoreOptions`. */
  readonly mapped: number;
  /** See `SqliteStoreOptions`. */
  readonly buffers: number;
  /** See `SqliteStoreOptions`. */
  readonly heap: number | undefined;
  readonly threads: number;
  /** Queries that may wait for a thread. */
  readonly queue: number;
};

/** How long past its deadline a thread may take to say so, in milliseconds. Then it is replaced. */
const grace = 2000;

type Task = {
  readonly id: number;
  readonly request: ReadRequest;
  /** When its time is over, by `performance.now()`. */
  readonly end: number;
  readonly resolve: (result: ReadResult) => void;
  readonly reject: (error: unknown) => void;
};

type Seat = { readonly thread: ReaderThread; task: Task | undefined; late: NodeJS.Timeout | undefined };

/** Threads that read, first come first served. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions;
  readonly #seats: Seat[] = [];
  readonly #waiting = new Map<number, Task>();
  #last = 0;
  #closed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
  }

  /** @throws {StoreError} `store_busy`, `query_timeout`, `query_canceled` */
  read(request: ReadRequest, signal?: AbortSignal): Promise<ReadResult> {
    if (this.#closed || signal?.aborted === true) return Promise.reject(new StoreError("query_canceled"));
    const seat = this.#findSeat();
    if (seat === undefined && this.#waiting.size >= this.#options.queue)
      return Promise.reject(new StoreError("store_busy"));
    return new Promise<ReadResult>((resolve, reject) => {
      const id = ++this.#last;
      const cancel = () => this.#cancel(id);
      signal?.addEventListener("abort", cancel, { once: true });
      const done = () => signal?.removeEventListener("abort", cancel);
      const task: Task = {
        id,
        request,
        end: performance.now() + request.timeout,
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      if (seat === undefined) this.#waiting.set(id, task);
      else this.#start(seat, task);
    });
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.values()) task.reject(new StoreError("query_canceled"));
    this.#waiting.clear();
    for (const seat of this.#seats) this.#finish(seat)?.reject(new StoreError("query_canceled"));
    await Promise.all(this.#seats.splice(0).map(({ thread }) => thread.end()));
  }

  /** A thread that has nothing to do; a new one while there may be more. */
  #findSeat(): Seat | undefined {
    const idle = this.#seats.find(({ task }) => task === undefined);
    if (idle !== undefined || this.#seats.length >= this.#options.threads) return idle;
    const { file, mapped, buffers, heap } = this.#options;
    const seat: Seat = {
      thread: new ReaderThread(
        { file, mapped, buffers, heap },
        {
          reply: (reply) => this.#settle(seat, reply),
          lost: (cause) => this.#replace(seat, cause),
        },
      ),
      task: undefined,
      late: undefined,
    };
    this.#seats.push(seat);
    return seat;
  }

  #start(seat: Seat, task: Task): void {
    const left = task.end - performance.now();
    seat.task = task;
    seat.late = setTimeout(() => this.#replace(seat, new StoreError("query_timeout")), left + grace);
    seat.thread.hold(true);
    seat.thread.post({ id: task.id, request: { ...task.request, timeout: left } });
  }

  #settle(seat: Seat, { id, result, refused, failed }: ReaderReply): void {
    if (seat.task?.id !== id) return;
    const task = this.#finish(seat);
    if (result !== undefined) task?.resolve(result);
    else
      task?.reject(refused === undefined ? new Error(failed) : new StoreError(refused.code, refused.detail));
    this.#startNext(seat);
  }

  #startNext(seat: Seat): void {
    const [next] = this.#waiting.values();
    if (next === undefined) return;
    this.#waiting.delete(next.id);
    this.#start(seat, next);
  }

  /** Free the seat. Gives the task that it held. */
  #finish(seat: Seat): Task | undefined {
    const { task } = seat;
    clearTimeout(seat.late);
    seat.task = undefined;
    seat.thread.hold(false);
    return task;
  }

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.reject(new StoreError("query_canceled"));
    const seat = this.#seats.find(({ task }) => task?.id === id);
    // The thread answers when it has stopped; until then it is at work, whoever waits for it.
    seat?.thread.cancel();
  }

  /** Give up a thread that is lost or does not answer. Its task fails with `cause`. */
  #replace(seat: Seat, cause: unknown): void {
    const place = this.#seats.indexOf(seat);
    if (place < 0) return;
    this.#seats.splice(place, 1);
    this.#finish(seat)?.reject(cause);
    void seat.thread.end();
    if (this.#closed || this.#waiting.size === 0) return;
    const successor = this.#findSeat();
    if (successor !== undefined) this.#startNext(successor);
  }
}
