import type { CostClass, ReplicaStatus, Use } from "@cadastre/store";

type UsedStore = {
  readonly used: () => Readonly<Record<CostClass, Use>>;
  readonly waiting: () => number;
  readonly replicas: () => readonly ReplicaStatus[];
};

type Counted = Pick<Use, "queries" | "seconds">;

/** Use of the store that is read, and of those that were closed before it: metrics that count may not fall. */
export class StoreUse {
  readonly #store: () => UsedStore;
  readonly #closed = new Map<CostClass, Counted>();

  /** @param store returns the store that is read */
  constructor(store: () => UsedStore) {
    this.#store = store;
  }

  readonly used = (): Readonly<Record<CostClass, Use>> => {
    const now = this.#store().used();
    const sums = classesOf(now).map(([cost, use]) => [cost, { ...use, ...this.#with(cost, use) }]);
    return Object.fromEntries(sums) as Record<CostClass, Use>;
  };

  readonly waiting = (): number => this.#store().waiting();

  readonly replicas: UsedStore["replicas"] = () => this.#store().replicas();

  /** Adds the use of a store that is about to be closed. */
  keep(closed: Pick<UsedStore, "used">): void {
    for (const [cost, use] of classesOf(closed.used())) this.#closed.set(cost, this.#with(cost, use));
  }

  #with(cost: CostClass, { queries, seconds }: Use): Counted {
    const before = this.#closed.get(cost) ?? { queries: 0, seconds: 0 };
    return { queries: queries + before.queries, seconds: seconds + before.seconds };
  }
}

const classesOf = (used: Readonly<Record<CostClass, Use>>) => Object.entries(used) as [CostClass, Use][];
