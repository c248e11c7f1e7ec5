import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import type { ExpectedCost } from "../../read/expected-cost.ts";
import type { CostClass, QueryScheduler, ReadFor } from "../../read/scheduler.ts";
import { cancelStatement } from "../connection/cancel.ts";
import type { Query } from "../connection/round-trip.ts";
import { type Client, poolOf, runTogether } from "../connection/session.ts";
import { ReadDeadline } from "./read-deadline.ts";

/**
 * Runs statements on a connection, unless the read has been stopped. With `isHeld`, these statements and all later ones see the
 * same snapshot.
 */
export type Run = (queries: readonly Query[], isHeld?: boolean) => Promise<void>;

/** All statements of a transaction that reads see one state of the store. */
const begin: Query = { text: "begin isolation level repeatable read read only", values: [] };
const [commit, rollback] = ["commit", "rollback"].map((text): Query => ({ text, values: [] })) as [
  Query,
  Query,
];

export type PostgresReaderOptions = {
  /** Connection pools by the cost of the queries that they run. They may be one. */
  readonly pools: Readonly<Record<CostClass, Knex>>;
  /** Scheduler that runs at most as many queries of each class at once as its pool has connections. */
  readonly scheduler: QueryScheduler;
  /** Timeout of a query in milliseconds, including the time in the queue. */
  readonly timeout: number;
};

/** SQLSTATE of a canceled statement: by `statement_timeout` or {@link cancelStatement}. */
const canceled = "57014";

/** Time in milliseconds that the server may take to stop a statement. Then the connection is closed, and replaced when it is needed. */
const grace = 2000;

/** Connection pools for reading; each connection runs one query at a time. */
export class PostgresReaders {
  readonly #options: PostgresReaderOptions;
  /** One for each query that runs or waits. */
  readonly #stops = new Set<ReadDeadline>();

  constructor(options: PostgresReaderOptions) {
    this.#options = options;
  }

  /**
   * @param work called again if the first attempt exceeds the time of a page, see `CostClass`
   * @throws {StoreError} see `QueryScheduler.run`
   */
  use<T>(
    expected: ExpectedCost,
    work: (run: Run) => Promise<T>,
    { share, background = false, signal }: ReadFor,
  ): Promise<T> {
    const { scheduler, timeout } = this.#options;
    const attempt = (part: number, cost: CostClass) => this.#attempt(work, part, cost, signal);
    // There is no shape, because the SQL text is not known before a connection is acquired.
    return scheduler.run({ share, expected, shape: undefined, background, timeout, signal, attempt });
  }

  async #attempt<T>(
    work: (run: Run) => Promise<T>,
    timeout: number,
    cost: CostClass,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // Starts with the whole timeout, because opening a connection may take longer than a page may. The limit of the attempt is
    // set afterwards.
    const stop = new ReadDeadline(this.#options.timeout, signal);
    this.#stops.add(stop);
    const pool = poolOf(this.#options.pools[cost]);
    try {
      const client = await this.#acquire(pool, stop);
      stop.endAfter(timeout);
      try {
        return await this.#work(client, stop, work);
      } finally {
        await pool.releaseConnection(client);
      }
    } finally {
      stop.end();
      this.#stops.delete(stop);
    }
  }

  async close(): Promise<void> {
    this.#options.scheduler.close();
    for (const stop of this.#stops) stop.stopNow("query_canceled");
    await Promise.all([...new Set(Object.values(this.#options.pools))].map((pool) => pool.destroy()));
  }

  async #acquire(pool: ReturnType<typeof poolOf>, stop: ReadDeadline): Promise<Client> {
    stop.check();
    const acquired = pool.acquireConnection();
    try {
      return await new Promise<Client>((resolve, reject) => {
        acquired.then(resolve, reject);
        // A timeout while waiting for a connection means that there are too few connections.
        stop.act = () =>
          reject(new StoreError(stop.code === "query_timeout" ? "store_busy" : "query_canceled"));
      });
    } catch (error) {
      if (stop.code !== undefined)
        acquired.then(
          (late) => pool.releaseConnection(late),
          () => {},
        );
      throw isTimeout(error) ? new StoreError("store_busy") : error;
    }
  }

  async #work<T>(client: Client, stop: ReadDeadline, work: (run: Run) => Promise<T>): Promise<T> {
    let canceling: Promise<unknown> | undefined;
    let late: NodeJS.Timeout | undefined;
    let isOpen = false;
    stop.act = () => {
      canceling = cancelStatement(client, grace).catch(() => {});
      late = setTimeout(() => client.connection.stream.destroy(), grace);
    };
    try {
      return await work(async (queries, isHeld = false) => {
        stop.check();
        if (isOpen) return runTogether(client, queries);
        isOpen = true;
        await runTogether(client, [begin, ...queries, ...(isHeld ? [] : [commit])]);
        isOpen = isHeld;
      });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw stop.code !== undefined || isCanceled(error)
        ? new StoreError(stop.code ?? "query_timeout")
        : error;
    } finally {
      // From here on the read is not stopped: a request would cancel what the connection runs next.
      stop.act = () => {};
      await canceling;
      // If the connection is lost, the server has ended the transaction too.
      if (isOpen) await runTogether(client, [rollback]).catch(() => {});
      clearTimeout(late);
    }
  }
}

const isCanceled = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === canceled;

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "KnexTimeoutError";
