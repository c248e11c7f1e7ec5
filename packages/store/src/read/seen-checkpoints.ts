/** Number of customers whose last state is known one by one. */
const capacity = 10_000;

/**
 * The last checkpoint that each customer has seen, for monotonic reads: a customer never sees an older state after a newer one. It is
 * known of {@link capacity} customers; all others are taken to have seen what the forgotten ones have.
 */
export class SeenCheckpoints {
  /** In the order in which the customers have read. */
  readonly #seen = new Map<string, number>();
  #floor = 0;

  /** Returns the checkpoint that a read of the customer must not be older than. */
  of(customer: string): number {
    return Math.max(this.#floor, this.#seen.get(customer) ?? 0);
  }

  note(customer: string, checkpoint: number): void {
    const seen = Math.max(checkpoint, this.#seen.get(customer) ?? 0);
    this.#seen.delete(customer);
    if (seen <= this.#floor) return;
    this.#seen.set(customer, seen);
    if (this.#seen.size <= capacity) return;
    for (const [oldest, forgotten] of this.#seen) {
      this.#seen.delete(oldest);
      this.noteForAll(forgotten);
      return;
    }
  }

  /** Notes a checkpoint that every later read must have reached. */
  noteForAll(checkpoint: number): void {
    this.#floor = Math.max(this.#floor, checkpoint);
  }

  /** Notes that no later checkpoint than this one exists any more: the commits after it were lost in a failover. */
  lower(checkpoint: number): void {
    this.#floor = Math.min(this.#floor, checkpoint);
    for (const [customer, seen] of this.#seen) if (seen > checkpoint) this.#seen.set(customer, checkpoint);
  }
}
