/** Number of transactions of different owners that run at once: a process prepares records for about as many. */
const mostAtOnce = 2;

/** Queue of the writing transactions of a process. Those of one owner run one after another; one without an owner runs alone, in its turn. */
export class CommitQueue {
  /** End of the last one without an owner. */
  #alone: Promise<unknown> = Promise.resolve();
  /** Ends of the last ones by owner, of those that were added after it. */
  readonly #ofOwners = new Map<string, Promise<unknown>>();
  #free = mostAtOnce;
  readonly #waiting: (() => void)[] = [];

  /**
   * Runs `work` when the transactions that were added before have ended, except those of other owners.
   *
   * @param owner what the transaction writes for, such as a dataset
   */
  add<T>(owner: string | undefined, work: () => Promise<T>): Promise<T> {
    if (owner === undefined) {
      const done = this.idle().then(work);
      this.#ofOwners.clear();
      this.#alone = ended(done);
      return done;
    }
    const before = this.#ofOwners.get(owner) ?? this.#alone;
    const done = before.then(() => this.#withPlace(work));
    this.#ofOwners.set(owner, ended(done));
    return done;
  }

  /** Resolves when the transactions that were added before have ended. */
  idle(): Promise<unknown> {
    return Promise.all([this.#alone, ...this.#ofOwners.values()]);
  }

  async #withPlace<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

const ended = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
