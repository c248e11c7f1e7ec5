import { StoreError } from "../../errors.ts";
import type { ExpectedCost } from "../../read/expected-cost.ts";
import { untimed } from "../../read/read-stages.ts";
import type { ReadRequest, ReadResult } from "../../read/request.ts";
import type { CostClass, QueryScheduler, ReadFor } from "../../read/scheduler.ts";
import type { ReaderReply } from "./messages.ts";
import { ReaderThread } from "./reader-thread.ts";

export type SqliteReaderOptions = {
  /** Path of the database file. */
  readonly file: string;
  /** See `SqliteStoreOptions`. */
  readonly pageCache: number;
  /** See `SqliteStoreOptions`. */
  readonly buffers: number;
  /** See `SqliteStoreOptions`. */
  readonly heap: number | undefined;
  /** Scheduler that runs at most as many queries at once as there are threads. */
  readonly scheduler: QueryScheduler;
};

/** Time in milliseconds that a thread may take to reply after its deadline. Then the thread is replaced. */
const grace = 2000;

type Task = {
  readonly id: number;
  readonly resolve: (result: ReadResult) => void;
  readonly reject: (error: unknown) => void;
};

type Seat = { readonly thread: ReaderThread; task: Task | undefined; late: NodeJS.Timeout | undefined };

/**
 * Worker threads for reading; each runs one query at a time. A thread is started when it is first needed, or by `start`. Scans have separate
 * threads with low priority, so that they do not take processor time from other queries.
 */
export class SqliteReaders {
  readonly #options: SqliteReaderOptions;
  readonly #seats: Readonly<Record<CostClass, Seat[]>> = { page: [], scan: [] };
  #last = 0;

  constructor(options: SqliteReaderOptions) {
    this.#options = options;
  }

  /** Starts a thread for look-ups, which does not keep the process alive. */
  start(): void {
    this.#addSeat("page").thread.hold(false);
  }

  /** @throws {StoreError} see `QueryScheduler.run` */
  read(
    request: ReadRequest,
    expected: ExpectedCost,
    { share, background = false, signal, stages = untimed }: ReadFor,
  ): Promise<ReadResult> {
    const { timeout } = request;
    const attempt = (part: number, cost: CostClass) =>
      stages.timeAsync("query", () => this.#run(cost, { ...request, timeout: part }, timeout, signal), {
        system: "sqlite",
        cost,
      });
    return this.#options.scheduler.run({
      share,
      expected,
      shape: shapeOf(request),
      background,
      timeout,
      signal,
      stages,
      attempt,
    });
  }

  async close(): Promise<void> {
    this.#options.scheduler.close();
    const seats = Object.values(this.#seats).flatMap((ofClass) => ofClass.splice(0));
    for (const seat of seats) this.#finish(seat)?.reject(new StoreError("query_canceled"));
    await Promise.all(seats.map(({ thread }) => thread.end()));
  }

  /**
   * Runs one attempt. The thread itself stops the query at `request.timeout`, the time of this attempt; `signal` cancels it earlier.
   *
   * @param queryTimeout milliseconds; the thread is replaced if it has not replied `grace` after it, though the attempt may be
   * shorter
   */
  #run(
    cost: CostClass,
    request: ReadRequest,
    queryTimeout: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadResult> {
    const seat = this.#seats[cost].find(({ task }) => task === undefined) ?? this.#addSeat(cost);
    return new Promise<ReadResult>((resolve, reject) => {
      const id = ++this.#last;
      // The thread replies when it has stopped the query. Until then it counts as busy.
      const cancel = () => seat.task?.id === id && seat.thread.cancel();
      const done = () => signal?.removeEventListener("abort", cancel);
      seat.task = {
        id,
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      seat.late = setTimeout(() => this.#giveUp(seat, new StoreError("query_timeout")), queryTimeout + grace);
      seat.thread.hold(true);
      seat.thread.post({ id, request });
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #addSeat(cost: CostClass): Seat {
    const { file, pageCache, buffers, heap } = this.#options;
    const seat: Seat = {
      thread: new ReaderThread(
        { file, pageCache, buffers, heap, isLow: cost === "scan" },
        {
          reply: (reply) => this.#settle(seat, reply),
          lost: (cause) => this.#giveUp(seat, cause),
        },
      ),
      task: undefined,
      late: undefined,
    };
    this.#seats[cost].push(seat);
    return seat;
  }

  #settle(seat: Seat, { id, result, refused, failed }: ReaderReply): void {
    if (seat.task?.id !== id) return;
    const task = this.#finish(seat);
    if (result !== undefined) task?.resolve(result);
    else
      task?.reject(refused === undefined ? new Error(failed) : new StoreError(refused.code, refused.details));
  }

  /** Marks the thread as idle. Returns its task. */
  #finish(seat: Seat): Task | undefined {
    const { task } = seat;
    clearTimeout(seat.late);
    seat.task = undefined;
    seat.thread.hold(false);
    return task;
  }

  /** Removes a thread that has ended or does not reply. Its task fails with `cause`. */
  #giveUp(seat: Seat, cause: unknown): void {
    const seats = Object.values(this.#seats).find((ofClass) => ofClass.includes(seat));
    if (seats === undefined) return;
    seats.splice(seats.indexOf(seat), 1);
    this.#finish(seat)?.reject(cause);
    void seat.thread.end();
  }
}

/** Returns the SQL text of a read without its values, by which its cost class is predicted. */
const shapeOf = ({ page, count, changes }: ReadRequest): string =>
  `${page?.current.text ?? changes?.began.text ?? ""};${count?.current.text ?? ""}`;
