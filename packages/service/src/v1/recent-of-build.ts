import type { Coverage } from "@cadastre/store";

/** What was made of a build's coverage, which holds for as long as the build is served. */
export class RecentOfBuild<Made> {
  readonly #capacity: number;
  readonly #made = new WeakMap<Coverage, Map<string, Made>>();

  /** @param capacity how many are remembered of a build: the latest */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param make what throws is not remembered */
  get(coverage: Coverage, question: string, make: () => Made): Made {
    const known = this.#made.get(coverage) ?? new Map<string, Made>();
    this.#made.set(coverage, known);
    const made = known.get(question) ?? make();
    known.delete(question);
    known.set(question, made);
    const [oldest] = known.keys();
    if (known.size > this.#capacity && oldest !== undefined) known.delete(oldest);
    return made;
  }
}
