import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import type { QueryScheduler, ReadFor } from "../../read/scheduler.ts";
import type { Query } from "../connection/round-trip.ts";
import { type Client, poolOf, runTogether } from "../connection/session.ts";
import { ReadDeadline } from "./read-deadline.ts";

/**
 * Runs statements on a connection, unless the read has been stopped. With `isHeld`, these statements and all later ones see the
 * same snapshot.
 */
export type Run = (queries: readonly Query[], isHeld?: boolean) => Promise<void>;

const [begin, end] = ["begin", "rollback"].map((text): Query => ({ text, values: [] })) as [Query, Query];

export type PostgresReaderOptions = {
  readonly knex: Knex;
  /** Scheduler that runs at most as many queries at once as there are connections. */
  readonly scheduler: QueryScheduler;
  /** Timeout of a query in milliseconds, including the time in the queue. */
  readonly timeout: number;
  /** Cancels the running statement of a server process. */
  readonly cancel: (processId: number) => Promise<unknown>;
};

/** SQLSTATE of a canceled statement: by `statement_timeout` or {@link PostgresReaderOptions.cancel}. */
const canceled = "57014";

/** Connection pool for reading; each connection runs one query at a time. */
export class PostgresReaders {
  readonly #options: PostgresReaderOptions;
  /** One for each query that runs or waits. */
  readonly #stops = new Set<ReadDeadline>();

  constructor(options: PostgresReaderOptions) {
    this.#options = options;
  }

  /**
   * @param work called again if the first attempt exceeds the time of a page, see `CostClass`
   * @throws {StoreError} see `Turns.run`
   */
  use<T>(work: (run: Run) => Promise<T>, { share, background = false, signal }: ReadFor): Promise<T> {
    const { scheduler: turns, timeout } = this.#options;
    const attempt = (part: number) => this.#attempt(work, part, signal);
    // The cost class cannot be predicted here, because the SQL text is not known before a connection is acquired.
    return turns.run({ share, shape: undefined, background, timeout, signal, attempt });
  }

  async #attempt<T>(
    work: (run: Run) => Promise<T>,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // Starts with the whole timeout, because opening a connection may take longer than a page may. The limit of the attempt is
    // set afterwards.
    const stop = new ReadDeadline(this.#options.timeout, signal);
    this.#stops.add(stop);
    try {
      const client = await this.#acquire(stop);
      stop.endAfter(timeout);
      return await this.#work(client, stop, work);
    } finally {
      stop.end();
      this.#stops.delete(stop);
    }
  }

  async close(): Promise<void> {
    this.#options.scheduler.close();
    for (const stop of this.#stops) stop.stopNow("query_canceled");
    await this.#options.knex.destroy();
  }

  async #acquire(stop: ReadDeadline): Promise<Client> {
    stop.check();
    const pool = poolOf(this.#options.knex);
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
    const { knex, cancel } = this.#options;
    let canceling: Promise<unknown> | undefined;
    let isOpen = false;
    stop.act = () => {
      canceling = cancel(client.processID).catch(() => {});
    };
    try {
      return await work((queries, isHeld = false) => {
        stop.check();
        if (!isHeld || isOpen) return runTogether(client, queries);
        isOpen = true;
        return runTogether(client, [begin, ...queries]);
      });
    } catch (error) {
      throw isCanceled(error) ? new StoreError(stop.code ?? "query_timeout") : error;
    } finally {
      // Waits for the cancel request, so that it cannot cancel the connection's next query.
      await canceling;
      // If the connection is lost, the server has ended the transaction too.
      if (isOpen) await runTogether(client, [end]).catch(() => {});
      await poolOf(knex).releaseConnection(client);
    }
  }
}

const isCanceled = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === canceled;

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "KnexTimeoutError";
