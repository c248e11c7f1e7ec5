/** Number of commits of different datasets that run at once: a process prepares records for about as many. */
const mostAtOnce = 2;

/** Queue of the commits of a process. Those of one dataset run one after another; one without a dataset runs alone, in its turn. */
export class CommitQueue {
  /** End of the last commit without a dataset. */
  #alone: Promise<unknown> = Promise.resolve();
  /** Ends of the last commits by dataset, of those that were added after it. */
  readonly #ofDatasets = new Map<string, Promise<unknown>>();
  #free = mostAtOnce;
  readonly #waiting: (() => void)[] = [];

  /** Runs `work` when the commits that were added before have ended, except those of other datasets. */
  add<T>(datasetId: string | undefined, work: () => Promise<T>): Promise<T> {
    if (datasetId === undefined) {
      const done = this.idle().then(work);
      this.#ofDatasets.clear();
      this.#alone = ended(done);
      return done;
    }
    const before = this.#ofDatasets.get(datasetId) ?? this.#alone;
    const done = before.then(() => this.#withPlace(work));
    this.#ofDatasets.set(datasetId, ended(done));
    return done;
  }

  /** Resolves when the commits that were added before have ended. */
  idle(): Promise<unknown> {
    return Promise.all([this.#alone, ...this.#ofDatasets.values()]);
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
