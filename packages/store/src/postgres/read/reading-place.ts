import type { Knex } from "knex";
import { isAcquireTimeout } from "../../database/postgres-faults.ts";
import { StoreError } from "../../errors.ts";
import type { CostClass } from "../../read/scheduler.ts";
import { cancelStatement } from "../connection/cancel.ts";
import type { Query } from "../connection/round-trip.ts";
import { type Client, poolOf, runTogether } from "../connection/session.ts";
import { ReadDeadline } from "./read-deadline.ts";

/**
 * Runs statements on a connection, unless the read has been stopped. The statements of one call see the same snapshot. With `isHeld`, those
 * of all later calls see it too: the transaction stays open until the read ends.
 */
export type Run = (queries: readonly Query[], isHeld?: boolean) => Promise<void>;

/** Connection pools of a server by the cost of the queries that they run. They may be one. */
export type ReadingPools = Readonly<Record<CostClass, Knex>>;

/** All statements of a transaction that reads see one state of the store. */
const begin: Query = { text: "begin isolation level repeatable read read only", values: [] };
const [commit, rollback] = ["commit", "rollback"].map((text): Query => ({ text, values: [] })) as [
  Query,
  Query,
];

/** Time in milliseconds that the server may take to stop a statement. Then the connection is closed, and replaced when it is needed. */
const grace = 2000;

/** A read at one place. */
export type Attempt = {
  readonly cost: CostClass;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Statements that each transaction begins with. If a callback for their rows throws, the read fails. */
  readonly opening: readonly Query[];
};

/** A server to read from, with its connection pools; each connection runs one query at a time. */
export class ReadingPlace {
  readonly #pools: ReadingPools;
  readonly #timeout: number;
  /** One for each query that runs or waits. */
  readonly #stops = new Set<ReadDeadline>();
  readonly running: Record<CostClass, number> = { page: 0, scan: 0 };

  /** @param timeout longest time to open a connection, in milliseconds */
  constructor(pools: ReadingPools, timeout: number) {
    this.#pools = pools;
    this.#timeout = timeout;
  }

  /**
   * @throws {StoreError} `query_timeout`, `query_canceled`, `store_busy`, and the code given to {@link stopAll}; errors of the server and
   * the connection are thrown unchanged
   */
  async read<T>(work: (run: Run) => Promise<T>, { cost, timeout, signal, opening }: Attempt): Promise<T> {
    // Starts with the whole timeout, because opening a connection may take longer than a page may. The limit of the attempt is
    // set afterwards.
    const stop = new ReadDeadline(this.#timeout, signal);
    this.#stops.add(stop);
    this.running[cost]++;
    const pool = poolOf(this.#pools[cost]);
    try {
      const client = await this.#acquire(pool, stop);
      stop.endAfter(timeout);
      try {
        return await this.#work(client, stop, opening, work);
      } finally {
        await pool.releaseConnection(client);
      }
    } finally {
      stop.end();
      this.running[cost]--;
      this.#stops.delete(stop);
    }
  }

  /** Stops all reads with an error of this code. */
  stopAll(code: "query_canceled" | "replica_behind"): void {
    for (const stop of this.#stops) stop.stopNow(code);
  }

  async close(): Promise<void> {
    this.stopAll("query_canceled");
    await Promise.all([...new Set(Object.values(this.#pools))].map((pool) => pool.destroy()));
  }

  async #acquire(pool: ReturnType<typeof poolOf>, stop: ReadDeadline): Promise<Client> {
    stop.check();
    const acquired = pool.acquireConnection();
    try {
      return await new Promise<Client>((resolve, reject) => {
        acquired.then(resolve, reject);
        // A timeout while waiting for a connection means that there are too few connections.
        stop.act = () => {
          const { code = "query_timeout" } = stop;
          reject(new StoreError(code === "query_timeout" ? "store_busy" : code));
        };
      });
    } catch (error) {
      if (stop.code !== undefined)
        acquired.then(
          (late) => pool.releaseConnection(late),
          () => {},
        );
      throw isAcquireTimeout(error) ? new StoreError("store_busy") : error;
    }
  }

  async #work<T>(
    client: Client,
    stop: ReadDeadline,
    opening: readonly Query[],
    work: (run: Run) => Promise<T>,
  ): Promise<T> {
    let canceling: Promise<unknown> | undefined;
    let late: NodeJS.Timeout | undefined;
    let isOpen = false;
    const destroy = () => client.connection.stream.destroy();
    stop.act = () => {
      // A standby that is given up may not answer a cancel request either.
      if (stop.code === "replica_behind") return void destroy();
      canceling = cancelStatement(client, grace).catch(() => {});
      late = setTimeout(destroy, grace);
    };
    try {
      return await work(async (queries, isHeld = false) => {
        stop.check();
        if (isOpen) return runTogether(client, queries);
        const statements = [...opening, ...queries];
        // One statement sees one state by itself.
        if (!isHeld && statements.length === 1) return runTogether(client, statements);
        isOpen = true;
        await runTogether(client, [begin, ...statements, ...(isHeld ? [] : [commit])]);
        isOpen = isHeld;
      });
    } catch (error) {
      if (error instanceof StoreError || stop.code === undefined) throw error;
      throw new StoreError(stop.code);
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
