import { setTimeout } from "node:timers/promises";
import {
  canceledStatement,
  isRecoveryConflict,
  isUnavailable,
  throwUnavailable,
} from "../../database/postgres-faults.ts";
import { StoreError } from "../../errors.ts";
import type { ExpectedCost } from "../../read/expected-cost.ts";
import { type QueryFacts, type ReadStages, untimed } from "../../read/read-stages.ts";
import { type CostClass, type QueryScheduler, type ReadFor, slice } from "../../read/scheduler.ts";
import { SeenCheckpoints } from "../../read/seen-checkpoints.ts";
import type { ReadOptions } from "../../store.ts";
import type { Attempt, ReadingPlace, Run } from "./reading-place.ts";
import { headQuery, type ReadReplica } from "./replica.ts";

export type PostgresReaderOptions = {
  readonly primary: ReadingPlace;
  readonly replicas: readonly ReadReplica[];
  /** Number of connections of each place, and of those for each class of queries. */
  readonly connections: number;
  readonly sizes: Readonly<Record<CostClass, number>>;
  /** Scheduler of all places: it runs at most as many queries of each class at once as they have connections together. */
  readonly scheduler: QueryScheduler;
  /** Timeout of a query in milliseconds, including the time in the queue. */
  readonly timeout: number;
};

/** Conditions that a read has for its place. */
export type ReadNeeds = {
  /** A place that lacks this checkpoint cannot answer. By default 0. */
  readonly checkpoint?: number;
  /** The checkpoint that the read shows; undefined for the current state. */
  readonly shows?: number | undefined;
  /** True if only the primary may answer. */
  readonly onlyPrimary?: boolean;
};

/** Returns what the place of a read must have. */
export const needsOf = ({
  from,
  asOf,
  until = 0,
}: Pick<ReadOptions, "from" | "asOf" | "until">): ReadNeeds => {
  const shows = asOf ?? from?.checkpoint;
  return { checkpoint: Math.max(shows ?? 0, until), shows };
};

type Reading = Omit<Attempt, "opening"> & {
  readonly customer: string;
  readonly needs: ReadNeeds;
  readonly stages: ReadStages;
};

/**
 * Longest time that a read waits for a commit which the primary does not show yet, in milliseconds: a synchronous standby may show it
 * before.
 */
const catchUp = 1000;

/** Reads from standbys that have what a read needs, and else from the primary. */
export class PostgresReaders {
  readonly #options: PostgresReaderOptions;
  readonly #seen = new SeenCheckpoints();
  #reads = 0;

  constructor(options: PostgresReaderOptions) {
    this.#options = options;
  }

  /**
   * @param work called again if the first attempt exceeds the time of a page, see `CostClass`, or if a standby does not answer
   * @throws {StoreError} see `QueryScheduler.run`; `bookmark_expired`, `replica_behind`, `database_unavailable`
   */
  use<T>(
    expected: ExpectedCost,
    work: (run: Run) => Promise<T>,
    { share, background = false, signal, stages = untimed }: ReadFor,
    needs: ReadNeeds = {},
  ): Promise<T> {
    const { scheduler, timeout } = this.#options;
    const { customer } = share;
    const attempt = (part: number, cost: CostClass) =>
      this.#read(work, { customer, needs, cost, timeout: part, signal, stages });
    // There is no shape, because the SQL text is not known before a connection is acquired.
    return scheduler.run({ share, expected, shape: undefined, background, timeout, signal, stages, attempt });
  }

  /** Notes a checkpoint that every later read must have reached, such as that of a build which this process has read. */
  readonly reach = (checkpoint: number): void => this.#seen.noteForAll(checkpoint);

  /** Adapts the scheduler to the places that are in use. Called when a standby comes into use or goes out of it. */
  readonly resize = (): void => {
    const { scheduler, connections, sizes, replicas } = this.#options;
    const places = 1 + replicas.filter(({ isUsed }) => isUsed).length;
    scheduler.resize(places * connections, { page: places * sizes.page, scan: places * sizes.scan });
  };

  async close(): Promise<void> {
    const { scheduler, primary, replicas } = this.#options;
    scheduler.close();
    await Promise.all([primary, ...replicas].map((place) => place.close()));
  }

  async #read<T>(work: (run: Run) => Promise<T>, reading: Reading): Promise<T> {
    const { customer, needs, cost, timeout, stages } = reading;
    const { checkpoint = 0, shows } = needs;
    const needed = Math.max(checkpoint, this.#seen.of(customer));
    const replica = needs.onlyPrimary === true ? undefined : this.#choose(needed, cost);
    const facts: QueryFacts = { system: "postgresql", cost };
    const readPrimary = (left: number) =>
      stages.timeAsync("query", () => this.#readPrimary(work, { ...reading, timeout: left }, needed), facts);
    if (replica === undefined) return readPrimary(timeout);
    const started = performance.now();
    let head = 0;
    const onHead = (found: number) => {
      head = found;
    };
    try {
      const read = await stages.timeAsync("query", () => replica.read(work, needed, reading, onHead), {
        ...facts,
        replica: replica.status.name,
      });
      this.#seen.note(customer, shows ?? head);
      return read;
    } catch (error) {
      if (isOwn(error)) throw error;
      if (isUnavailable(error)) replica.takeOut("unreachable");
      else if (isOfReplica(error)) replica.takeOut("failing");
      // A first attempt has all of its time again. It is short.
      const left = timeout <= slice ? timeout : timeout - (performance.now() - started);
      if (left <= 0) throw new StoreError("query_timeout");
      return readPrimary(left);
    }
  }

  /** Returns the standby with the fewest running queries of those that can answer; of several, the one that was chosen least recently. */
  #choose(needed: number, cost: CostClass): ReadReplica | undefined {
    let best: ReadReplica | undefined;
    for (const replica of this.#options.replicas) {
      if (!replica.canRead(needed, cost)) continue;
      const fewer = best === undefined ? -1 : replica.running(cost) - best.running(cost);
      if (best === undefined || fewer < 0 || (fewer === 0 && replica.chosen < best.chosen)) best = replica;
    }
    if (best !== undefined) best.chosen = ++this.#reads;
    return best;
  }

  async #readPrimary<T>(work: (run: Run) => Promise<T>, reading: Reading, needed: number): Promise<T> {
    const { primary, replicas } = this.#options;
    const { customer, needs, timeout } = reading;
    const started = performance.now();
    for (let wait = 10; ; wait *= 2) {
      const waited = performance.now() - started;
      if (waited >= timeout) throw new StoreError("query_timeout");
      const isLate = waited + wait > catchUp;
      let head: number | undefined;
      const guard = headQuery((found) => {
        head = found;
        // The customer has seen a commit on a synchronous standby that the primary is about to show.
        if (found < needed && !isLate) throw new StoreError("replica_behind");
      });
      const opening = replicas.length === 0 ? [] : [guard];
      try {
        const read = await primary.read(work, { ...reading, timeout: timeout - waited, opening });
        if (head !== undefined) {
          if (head < needed) this.#seen.lower(head);
          this.#seen.note(customer, needs.shows ?? head);
        }
        return read;
      } catch (error) {
        if (!isBehind(error)) throwRefined(error);
        if (await this.#isStandby().catch(throwRefined)) throw error;
        // A primary lacks the checkpoint only if its commit was lost with another server, or if it is about to show it.
        if (isLate)
          throw new StoreError("bookmark_expired", "the commit was lost when the database failed over");
      }
      await setTimeout(wait);
    }
  }

  /** True if the store was opened on a standby. */
  async #isStandby(): Promise<boolean> {
    let found = false;
    const opening = [
      headQuery((_, isStandby) => {
        found = isStandby;
      }),
    ];
    const { primary, timeout } = this.#options;
    await primary.read((run) => run([]), { cost: "page", timeout, signal: undefined, opening });
    return found;
  }
}

const isBehind = (error: unknown): boolean => error instanceof StoreError && error.code === "replica_behind";

/** True if an error is one of the read itself, which every place would have. */
const isOwn = (error: unknown): boolean =>
  error instanceof StoreError && !["replica_behind", "record_damaged", "store_busy"].includes(error.code);

/** True if a standby fails with an error that another read may have as well. */
const isOfReplica = (error: unknown): boolean =>
  error instanceof StoreError ? error.code === "record_damaged" : !isRecoveryConflict(error);

function throwRefined(error: unknown): never {
  const { code } = error as { readonly code?: unknown };
  if (!(error instanceof StoreError) && code === canceledStatement) throw new StoreError("query_timeout");
  return throwUnavailable(error);
}
