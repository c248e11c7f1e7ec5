/** Result of applying a change. */
export type ChangeOutcome = "written" | "unchanged" | "removed" | "absent";

/** Number of records of a resource and dataset that a commit has changed. */
export type Tally = {
  readonly resource: string;
  /** Empty for records without a dataset. */
  readonly datasetId: string;
  written: number;
  removed: number;
};

/** Counts the changes of a commit by resource and dataset. */
export class Tallies {
  readonly #tallies = new Map<string, Tally>();

  add(resource: string, datasetId: string | null, what: "written" | "removed", count = 1): void {
    const key = `${resource} ${datasetId}`;
    const tally = this.#tallies.get(key) ?? { resource, datasetId: datasetId ?? "", written: 0, removed: 0 };
    tally[what] += count;
    this.#tallies.set(key, tally);
  }

  all(): readonly Tally[] {
    return [...this.#tallies.values()];
  }

  sum(what: "written" | "removed"): number {
    return this.all().reduce((sum, tally) => sum + tally[what], 0);
  }

  /** Returns the number of changes of each resource. */
  byResource(): ReadonlyMap<string, number> {
    const changes = new Map<string, number>();
    for (const { resource, written, removed } of this.#tallies.values())
      changes.set(resource, (changes.get(resource) ?? 0) + written + removed);
    return changes;
  }
}
