/** What became of a change. */
export type Outcome = "written" | "unchanged" | "removed" | "absent";

/** What a commit has changed of one dataset's records of one resource. */
export type Tally = {
  readonly resource: string;
  /** Empty for records of no dataset. */
  readonly datasetId: string;
  written: number;
  removed: number;
};

/** Counts what a commit changes, by resource and dataset. */
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

  /** Number of changes of each resource. */
  byResource(): ReadonlyMap<string, number> {
    const changes = new Map<string, number>();
    for (const { resource, written, removed } of this.#tallies.values())
      changes.set(resource, (changes.get(resource) ?? 0) + written + removed);
    return changes;
  }
}
