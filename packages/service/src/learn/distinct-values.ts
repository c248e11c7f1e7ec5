/** Distinct texts of a column, as long as they are few and each could be a value of a lookup. */
export class DistinctValues {
  readonly #most: number;
  readonly #counts = new Map<string, number>();
  #isOver = false;
  /** Number of texts, repeated ones included. */
  count = 0;

  /** @param most greatest number of distinct texts */
  constructor(most: number) {
    this.#most = most;
  }

  add(value: string): void {
    this.count++;
    if (this.#isOver) return;
    const before = this.#counts.get(value);
    this.#isOver = before === undefined && (this.#counts.size === this.#most || !isLookupText(value));
    if (this.#isOver) this.#counts.clear();
    else this.#counts.set(value, (before ?? 0) + 1);
  }

  /** The distinct texts. Undefined if they are too many, or one of them could not be a value of a lookup. */
  get values(): readonly string[] | undefined {
    return this.#isOver ? undefined : [...this.#counts.keys()];
  }

  /** Returns how often the text occurs. 0 if the texts are too many. */
  countOf(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  /** The distinct texts if there are several and they repeat, so that they seem to be from a list. */
  get repeated(): readonly string[] | undefined {
    const { values, count } = this;
    return values !== undefined && values.length > 1 && count >= values.length * repetitions
      ? values
      : undefined;
  }
}

/** Number of times that the values of a lookup occur on average. */
const repetitions = 4;

/** True if a catalog lists the text unchanged. */
const isLookupText = (text: string): boolean =>
  text !== "" && text.trim() === text && text.length <= 64 && !/\p{Cc}/u.test(text);
