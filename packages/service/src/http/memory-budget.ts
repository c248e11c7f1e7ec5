import { Refused } from "../errors.ts";
import type { MemoryLimits } from "./memory-limits.ts";

/** Memory that is reserved for one answer. */
export type Reservation = {
  /** Replaces the estimate by the actual size of the answer. Always succeeds, even if the limits are then exceeded. */
  readonly resize: (bytes: number) => void;
  /** Releases the memory. Calls after the first have no effect. */
  readonly release: () => void;
};

type Waiter = {
  readonly customer: string;
  readonly bytes: number;
  readonly admit: (reservation: Reservation) => void;
};

export type MemoryBudgetOptions = Pick<MemoryLimits, "answers" | "customer"> & {
  /** Longest time that a request waits for memory before it is refused, in milliseconds. */
  readonly wait?: number;
  /** Most requests of one customer that may wait. */
  readonly queue?: number;
};

/**
 * Admission control by memory. Each answer reserves an estimate of its bytes before it is read and holds them until it was sent.
 * Reservations are counted for the process and for each customer, over all keys of the customer. A request that does not fit waits for a
 * short time. An answer larger than a limit is admitted when no other answer counts against that limit.
 */
export class MemoryBudget {
  readonly #limits: Required<MemoryBudgetOptions>;
  readonly #byCustomer = new Map<string, number>();
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();
  #reserved = 0;

  constructor({ answers, customer, wait = 5000, queue = 256 }: MemoryBudgetOptions) {
    this.#limits = { answers, customer, wait, queue };
  }

  /** Bytes that answers in progress have reserved. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Number of requests that wait for memory. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Most bytes that may be reserved. */
  get limit(): number {
    return this.#limits.answers;
  }

  /**
   * Reserves memory for an answer of about `bytes`.
   *
   * @param signal ends the wait when the client has disconnected
   * @throws {Refused} `too_much_in_flight` if the customer's own answers use up its share; `service_busy` if the answers of all customers
   * together use up the budget
   */
  async reserve(customer: string, bytes: number, signal?: AbortSignal): Promise<Reservation> {
    if (!this.#isQueued(customer) && this.#fits(customer, bytes)) return this.#reserve(customer, bytes);
    if (signal?.aborted === true || this.#queued(customer) >= this.#limits.queue)
      throw this.#refusal(customer, bytes);
    return new Promise((resolve, reject) => {
      const refuse = () => {
        settle();
        reject(this.#refusal(customer, bytes));
      };
      const timer = setTimeout(refuse, this.#limits.wait);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", refuse);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        customer,
        bytes,
        admit: (reservation) => {
          settle();
          resolve(reservation);
        },
      };
      signal?.addEventListener("abort", refuse, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #fits(customer: string, bytes: number): boolean {
    const own = this.#byCustomer.get(customer) ?? 0;
    return (
      (own === 0 || own + bytes <= this.#limits.customer) &&
      (this.#reserved === 0 || this.#reserved + bytes <= this.#limits.answers)
    );
  }

  #reserve(customer: string, estimate: number): Reservation {
    let held = 0;
    let isReleased = false;
    const hold = (bytes: number) => {
      const own = (this.#byCustomer.get(customer) ?? 0) + bytes - held;
      if (own === 0) this.#byCustomer.delete(customer);
      else this.#byCustomer.set(customer, own);
      this.#reserved += bytes - held;
      held = bytes;
    };
    hold(estimate);
    return {
      resize: (bytes) => {
        if (isReleased) return;
        const isLess = bytes < held;
        hold(bytes);
        if (isLess) this.#admitWaiting();
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        hold(0);
        this.#admitWaiting();
      },
    };
  }

  /** Admits every waiting request that now fits. Requests of one customer stay in order; a smaller one of another customer may overtake. */
  #admitWaiting(): void {
    const passed = new Set<string>();
    for (const waiter of this.#waiters) {
      const { customer, bytes, admit } = waiter;
      if (passed.has(customer)) continue;
      if (this.#fits(customer, bytes)) admit(this.#reserve(customer, bytes));
      else passed.add(customer);
    }
  }

  #isQueued(customer: string): boolean {
    return this.#queued(customer) > 0;
  }

  #queued(customer: string): number {
    let queued = 0;
    for (const waiter of this.#waiters) if (waiter.customer === customer) queued += 1;
    return queued;
  }

  #refusal(customer: string, bytes: number): Refused {
    const own = this.#byCustomer.get(customer) ?? 0;
    const isOwnShare = own > 0 && own + bytes > this.#limits.customer;
    return new Refused(isOwnShare ? "too_much_in_flight" : "service_busy");
  }
}
