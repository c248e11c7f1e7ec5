/** A customer, and the seconds per minute that its scans may take. */
type ScanShare = { readonly customer: string; readonly scanSeconds: number };

/** In milliseconds. */
const minute = 60_000;

export type QueryUsageOptions = {
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number;
  /** Called with each use of a scan budget, see {@link QueryUsage.spend}. */
  readonly onScan?: (customer: string, milliseconds: number) => void;
};

/**
 * Use of each customer's limits on queries: a token bucket of scan time, and the number of its queries. Other processes that share the
 * limits report their part, see `spend` and `setElsewhere`.
 */
export class QueryUsage {
  readonly #now: () => number;
  readonly #onScan: QueryUsageOptions["onScan"];
  /** Time at which the scan budget of a customer is full again. */
  readonly #full = new Map<string, number>();
  #elsewhere: ReadonlyMap<string, number> = new Map();
  #running: () => ReadonlyMap<string, number> = () => new Map();

  constructor({ now = () => performance.now(), onScan }: QueryUsageOptions = {}) {
    this.#now = now;
    this.#onScan = onScan;
  }

  /** True if the customer has used up its scans. Their budget is a token bucket that fills within a minute. */
  isSpent({ customer, scanSeconds }: ScanShare): boolean {
    const now = this.#now();
    const full = this.#full.get(customer) ?? now;
    if (full <= now) this.#full.delete(customer);
    return scanSeconds === 0 || full - now > minute;
  }

  /** @param took milliseconds that a scan of the customer took in this process */
  charge({ customer, scanSeconds }: ScanShare, took: number): void {
    const milliseconds = (took * minute) / (scanSeconds * 1000);
    this.spend(customer, milliseconds);
    this.#onScan?.(customer, milliseconds);
  }

  /** @param milliseconds time that the customer's budget needs to fill again */
  spend(customer: string, milliseconds: number): void {
    const now = this.#now();
    this.#full.set(customer, Math.max(this.#full.get(customer) ?? now, now) + milliseconds);
  }

  /** Number of the customer's queries that run and wait in other processes, as they last reported. */
  elsewhere(customer: string): number {
    return this.#elsewhere.get(customer) ?? 0;
  }

  setElsewhere(queries: ReadonlyMap<string, number>): void {
    this.#elsewhere = queries;
  }

  /** Number of queries that run and wait in this process, by customer. */
  running(): ReadonlyMap<string, number> {
    return this.#running();
  }

  /** @param running returns the number of queries by customer */
  countWith(running: () => ReadonlyMap<string, number>): void {
    this.#running = running;
  }
}
