import { LruCache } from "@cadastre/odata/lru-cache";
import { StoreError } from "../errors.ts";

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
};

/**
 * Cost class of a query. Each query starts as a `page`. If it runs longer than a {@link slice}, it is stopped and run again as a `scan`;
 * so is the next query of the same SQL text, without the first attempt.
 */
export type CostClass = "page" | "scan";

/** Time limit of a first attempt, in milliseconds. Queries served by an index end within this time. */
export const slice = 50;

/** Number of queries that ended, and the time that readers spent on them. */
export type Use = { readonly queries: number; readonly seconds: number };

export type TurnsOptions = {
  /** Number of readers. Scans leave half of them free, if there are two or more. */
  readonly readers: number;
  /** Length of the queue from which on a customer that already has a waiting query is refused. */
  readonly queue: number;
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number;
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
  /** Key of queries that cost about the same, such as their SQL text without values. Undefined if there is none. */
  readonly shape: string | undefined;
  /** True if nobody waits for the result. The query starts as a scan, and is not charged to the limit of scans. */
  readonly background: boolean;
  /** Timeout in milliseconds, including the time in the queue. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Runs the query for at most `timeout` milliseconds. */
  readonly attempt: (timeout: number, cost: CostClass) => Promise<T>;
};

/** Maximum number of SQL texts of scans to remember. */
const keptShapes = 1000;

/** Scheduler that shares the readers between customers: start-time fair queueing by the time that queries take. */
export class QueryScheduler {
  readonly #options: TurnsOptions;
  readonly #now: () => number;
  readonly #mostScans: number;
  readonly #customers = new Map<string, Customer>();
  /** Time at which the scan budget of a customer is full again. */
  readonly #budgets = new Map<string, number>();
  readonly #scanShapes = new LruCache<string, true>(keptShapes);
  readonly #used: Record<CostClass, { queries: number; seconds: number }> = {
    page: { queries: 0, seconds: 0 },
    scan: { queries: 0, seconds: 0 },
  };
  readonly #expected: Record<CostClass, number> = { page: 5, scan: 500 };
  #free: number;
  #scans = 0;
  #waiting = 0;
  /** Virtual time of the customer whose query started last. */
  #time = 0;
  #isClosed = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#free = options.readers;
    this.#mostScans = Math.ceil(options.readers / 2);
  }

  get waiting(): number {
    return this.#waiting;
  }

  get used(): Readonly<Record<CostClass, Use>> {
    return this.#used;
  }

  /**
   * Waits for a reader and runs a query.
   *
   * @throws {StoreError} `store_busy`, `too_many_queries`, `scan_limit_reached`, `query_timeout`, `query_canceled`
   */
  async run<T>(query: Run<T>): Promise<T> {
    const { shape = "", background, timeout } = query;
    const end = this.#now() + timeout;
    if (!background && !this.#scanShapes.has(shape)) {
      try {
        return await this.#runAs("page", query, end);
      } catch (error) {
        const isStopped = error instanceof StoreError && error.code === "query_timeout";
        if (!isStopped || this.#now() >= end) throw error;
        if (shape !== "") this.#scanShapes.get(shape, () => true);
      }
    }
    return this.#runAs("scan", query, end);
  }

  /** Refuses all waiting queries and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#customers.values())
      for (const { start } of waiting) start({ end: () => {} });
  }

  async #runAs<T>(cost: CostClass, query: Run<T>, end: number): Promise<T> {
    const { share, shape = "", background, signal, attempt } = query;
    const isCharged = cost === "scan" && !background;
    if (isCharged) this.#requireBudget(share);
    const turn = await this.#take(share, cost, end, signal);
    const started = this.#now();
    try {
      const left = end - started;
      return await attempt(cost === "page" ? Math.min(slice, left) : left, cost);
    } finally {
      turn.end();
      const took = this.#now() - started;
      if (isCharged) this.#charge(share, took);
      if (isCharged && took < slice) this.#scanShapes.delete(shape);
    }
  }

  #take(
    share: CustomerShare,
    cost: CostClass,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<ReaderSlot> {
    if (this.#isClosed || signal?.aborted === true) throw new StoreError("query_canceled");
    const customer = this.#customerOf(share);
    if (customer.running + customer.waiting.size >= share.queries) throw new StoreError("too_many_queries");
    if (!this.#canStart(cost) && this.#waiting >= this.#options.queue && customer.waiting.size > 0)
      throw new StoreError("store_busy");
    return new Promise<ReaderSlot>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(late);
        signal?.removeEventListener("abort", cancel);
        customer.waiting.delete(waiting);
        this.#waiting--;
        act();
      };
      const refuse = (code: "store_busy" | "query_canceled") => settle(() => reject(new StoreError(code)));
      const cancel = () => refuse("query_canceled");
      const late = setTimeout(() => refuse("store_busy"), end - this.#now());
      const start = (turn: ReaderSlot) => (this.#isClosed ? cancel() : settle(() => resolve(turn)));
      const waiting: Waiting = { share, cost, start };
      signal?.addEventListener("abort", cancel, { once: true });
      customer.waiting.add(waiting);
      this.#waiting++;
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
    return this.#free > 0 && (cost === "page" || this.#scans < this.#mostScans);
  }

  #startNext(): void {
    while (this.#free > 0 && this.#waiting > 0) {
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
    if (cost === "scan") this.#scans++;
    start({
      end: () => {
        const took = this.#now() - started;
        customer.time += (took - expected) / weight;
        customer.running--;
        this.#free++;
        if (cost === "scan") this.#scans--;
        this.#expected[cost] += (took - this.#expected[cost]) / 16;
        this.#used[cost].queries++;
        this.#used[cost].seconds += took / 1000;
        this.#startNext();
      },
    });
  }

  /** The scan budget is a token bucket that fills within a minute. */
  #requireBudget({ customer, scanSeconds }: CustomerShare): void {
    const now = this.#now();
    const whole = this.#budgets.get(customer) ?? now;
    if (whole <= now) this.#budgets.delete(customer);
    if (scanSeconds === 0 || whole - now > minute) throw new StoreError("scan_limit_reached");
  }

  #charge({ customer, scanSeconds }: CustomerShare, took: number): void {
    const now = this.#now();
    const whole = Math.max(this.#budgets.get(customer) ?? now, now);
    this.#budgets.set(customer, whole + (took * minute) / (scanSeconds * 1000));
  }
}

/** In milliseconds. */
const minute = 60_000;
