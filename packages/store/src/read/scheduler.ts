import { LruCache } from "@cadastre/odata/lru-cache";
import { StoreError } from "../errors.ts";
import type { ExpectedCost } from "./expected-cost.ts";
import { QueryUsage } from "./query-usage.ts";
import { type ReadStages, untimed } from "./read-stages.ts";

/** The customer that a query is run for, and its limits. */
export type CustomerShare = {
  readonly customer: string;
  /** Weight of the customer: readers' time is shared in proportion to the weights. */
  readonly weight: number;
  /** Maximum number of running and waiting queries of the customer. */
  readonly queries: number;
  /** Seconds per minute that scans of the customer may take. */
  readonly scanSeconds: number;
};

/** The caller of a read. */
export type ReadFor = {
  readonly share: CustomerShare;
  /** See `ReadOptions`. */
  readonly background?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** See `ReadOptions`. */
  readonly stages?: ReadStages | undefined;
};

/**
 * Cost class of a query. It starts as a `scan` if the {@link ExpectedCost} is unbounded, else as a `page`. A page that runs longer than a
 * {@link slice} is stopped and run again as a `scan`, unless its cost is bounded. The next query of the same SQL text starts in the class that
 * this one showed.
 */
export type CostClass = "page" | "scan";

/** Time limit of a first attempt, in milliseconds. Queries served by an index end within this time. */
export const slice = 50;

/** Number of queries that ended, the time that readers spent on them, and the number of those that run now. */
export type Use = { readonly queries: number; readonly seconds: number; readonly running: number };

export type QuerySchedulerOptions = {
  /** Number of readers, and so of queries that run at once. */
  readonly readers: number;
  /** Maximum number of queries of each class that run at once. By default scans leave half of the readers free, if there are two or more. */
  readonly most?: Readonly<Record<CostClass, number>>;
  /** Length of the queue of a class from which on a customer that already has a query in it is refused. */
  readonly queue: number;
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number;
  /** Use of the customers' limits, if other processes share them. */
  readonly usage?: QueryUsage | undefined;
};

type Waiting = {
  readonly share: CustomerShare;
  readonly cost: CostClass;
  readonly start: (turn: ReaderSlot) => void;
};

/** The right to use a reader. */
type ReaderSlot = { readonly end: () => void };

type Customer = {
  running: number;
  readonly waiting: Set<Waiting>;
  /**
   * Virtual time: the time that its queries have taken, divided by its weight, in milliseconds. The customer with the least is
   * next.
   */
  time: number;
};

type Run<T> = {
  readonly share: CustomerShare;
  readonly expected: ExpectedCost;
  /** Key of queries that cost about the same, such as their SQL text without values. Undefined if there is none. */
  readonly shape: string | undefined;
  /** True if nobody waits for the result. The query starts as a scan, and is not charged to the limit of scans. */
  readonly background: boolean;
  /** Timeout in milliseconds, including the time in the queue. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly stages?: ReadStages | undefined;
  /** Runs the query for at most `timeout` milliseconds. */
  readonly attempt: (timeout: number, cost: CostClass) => Promise<T>;
};

/** Maximum number of SQL texts whose class is remembered. */
const keptShapes = 1000;

/** Scheduler that shares the readers between customers: start-time fair queueing by the time that queries take. */
export class QueryScheduler {
  readonly #options: QuerySchedulerOptions;
  readonly #now: () => number;
  #most: Readonly<Record<CostClass, number>>;
  readonly #customers = new Map<string, Customer>();
  readonly #usage: QueryUsage;
  /** The class that the last query of an SQL text showed. */
  readonly #shown = new LruCache<string, CostClass>(keptShapes);
  readonly #used: Record<CostClass, { queries: number; seconds: number }> = {
    page: { queries: 0, seconds: 0 },
    scan: { queries: 0, seconds: 0 },
  };
  readonly #expected: Record<CostClass, number> = { page: 5, scan: 500 };
  #readers: number;
  #free: number;
  readonly #running: Record<CostClass, number> = { page: 0, scan: 0 };
  readonly #waiting: Record<CostClass, number> = { page: 0, scan: 0 };
  /** Virtual time of the customer whose query started last. */
  #time = 0;
  #isClosed = false;

  constructor(options: QuerySchedulerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#readers = options.readers;
    this.#usage = options.usage ?? new QueryUsage({ now: this.#now });
    this.#usage.countWith(() => this.#queriesByCustomer());
    this.#free = options.readers;
    this.#most = options.most ?? { page: options.readers, scan: Math.ceil(options.readers / 2) };
  }

  get waiting(): number {
    return this.#waiting.page + this.#waiting.scan;
  }

  get used(): Readonly<Record<CostClass, Use>> {
    const useOf = (cost: CostClass): Use => ({ ...this.#used[cost], running: this.#running[cost] });
    return { page: useOf("page"), scan: useOf("scan") };
  }

  /**
   * Waits for a reader and runs a query.
   *
   * @throws {StoreError} `store_busy`, `too_many_queries`, `scan_limit_reached`, `query_timeout`, `query_canceled`
   */
  async run<T>(query: Run<T>): Promise<T> {
    const { share, expected, shape, background, timeout } = query;
    const end = this.#now() + timeout;
    const shown = this.#shownBy(shape);
    if (!background && shown !== "scan") {
      const cost = expected === "unbounded" && shown === undefined ? "scan" : "page";
      const isLimited = expected !== "bounded" && (cost === "page" || this.#usage.isSpent(share));
      try {
        return await this.#runAs(cost, query, end, isLimited ? slice : timeout);
      } catch (error) {
        const isStopped = error instanceof StoreError && error.code === "query_timeout";
        if (!isLimited || !isStopped || this.#now() >= end) throw error;
        this.#learn(shape, "scan");
      }
    }
    if (!background && this.#usage.isSpent(share)) throw new StoreError("scan_limit_reached");
    return this.#runAs("scan", query, end, timeout);
  }

  /** Changes the numbers of readers. Queries that run already are not stopped. */
  resize(readers: number, most: Readonly<Record<CostClass, number>>): void {
    this.#free += readers - this.#readers;
    this.#readers = readers;
    this.#most = most;
    this.#startNext();
  }

  /** Refuses all waiting queries and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#customers.values())
      for (const { start } of waiting) start({ end: () => {} });
  }

  /** @param most maximum time of the attempt, in milliseconds */
  async #runAs<T>(cost: CostClass, query: Run<T>, end: number, most: number): Promise<T> {
    const { share, shape, background, signal, stages = untimed, attempt } = query;
    const turn = await stages.timeAsync("wait", () => this.#take(share, cost, end, signal));
    const started = this.#now();
    try {
      return await attempt(Math.min(most, end - started), cost);
    } finally {
      turn.end();
      if (cost === "scan" && !background) {
        const took = this.#now() - started;
        this.#learn(shape, took < slice ? "page" : "scan");
        // A query that takes no longer than a page may is no scan after all.
        if (took >= slice) this.#usage.charge(share, took);
      }
    }
  }

  #shownBy(shape: string | undefined): CostClass | undefined {
    return shape !== undefined && this.#shown.has(shape) ? this.#shown.get(shape, () => "page") : undefined;
  }

  #learn(shape: string | undefined, cost: CostClass): void {
    if (shape === undefined) return;
    this.#shown.delete(shape);
    this.#shown.get(shape, () => cost);
  }

  #take(
    share: CustomerShare,
    cost: CostClass,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<ReaderSlot> {
    if (this.#isClosed || signal?.aborted === true) throw new StoreError("query_canceled");
    const customer = this.#customerOf(share);
    const elsewhere = this.#usage.elsewhere(share.customer);
    if (customer.running + customer.waiting.size + elsewhere >= share.queries)
      throw new StoreError("too_many_queries");
    const isFull = !this.#canStart(cost) && this.#waiting[cost] >= this.#options.queue;
    if (isFull && [...customer.waiting].some((waiting) => waiting.cost === cost))
      throw new StoreError("store_busy");
    return new Promise<ReaderSlot>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(late);
        signal?.removeEventListener("abort", cancel);
        customer.waiting.delete(waiting);
        this.#waiting[cost]--;
        act();
      };
      const refuse = (code: "store_busy" | "query_canceled") => settle(() => reject(new StoreError(code)));
      const cancel = () => refuse("query_canceled");
      const late = setTimeout(() => refuse("store_busy"), end - this.#now());
      const start = (turn: ReaderSlot) => (this.#isClosed ? cancel() : settle(() => resolve(turn)));
      const waiting: Waiting = { share, cost, start };
      signal?.addEventListener("abort", cancel, { once: true });
      customer.waiting.add(waiting);
      this.#waiting[cost]++;
      this.#startNext();
    });
  }

  #customerOf({ customer: name }: CustomerShare): Customer {
    const known = this.#customers.get(name);
    if (known !== undefined) {
      // A customer that was idle does not accumulate credit.
      if (known.running + known.waiting.size === 0) known.time = Math.max(known.time, this.#time);
      return known;
    }
    for (const [other, { running, waiting, time }] of this.#customers)
      if (running + waiting.size === 0 && time <= this.#time) this.#customers.delete(other);
    const customer: Customer = { running: 0, waiting: new Set(), time: this.#time };
    this.#customers.set(name, customer);
    return customer;
  }

  #canStart(cost: CostClass): boolean {
    return this.#free > 0 && this.#running[cost] < this.#most[cost];
  }

  #startNext(): void {
    while (this.#free > 0 && this.waiting > 0) {
      let next: { readonly customer: Customer; readonly waiting: Waiting } | undefined;
      for (const customer of this.#customers.values()) {
        if (next !== undefined && customer.time >= next.customer.time) continue;
        for (const waiting of customer.waiting) {
          if (!this.#canStart(waiting.cost)) continue;
          next = { customer, waiting };
          break;
        }
      }
      if (next === undefined) return;
      this.#start(next.customer, next.waiting);
    }
  }

  #start(customer: Customer, { share: { weight }, cost, start }: Waiting): void {
    const started = this.#now();
    const expected = this.#expected[cost];
    this.#time = customer.time;
    customer.time += expected / weight;
    customer.running++;
    this.#free--;
    this.#running[cost]++;
    start({
      end: () => {
        const took = this.#now() - started;
        customer.time += (took - expected) / weight;
        customer.running--;
        this.#free++;
        this.#running[cost]--;
        this.#expected[cost] += (took - this.#expected[cost]) / 16;
        this.#used[cost].queries++;
        this.#used[cost].seconds += took / 1000;
        this.#startNext();
      },
    });
  }

  #queriesByCustomer(): ReadonlyMap<string, number> {
    const queries = new Map<string, number>();
    for (const [name, { running, waiting }] of this.#customers)
      if (running + waiting.size > 0) queries.set(name, running + waiting.size);
    return queries;
  }
}
