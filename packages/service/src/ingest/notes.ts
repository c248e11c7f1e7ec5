/** Told of records that are taken: values that were rounded, and values of the source for fields that the service computes. */
export type NoteCode = "rounded" | "computed";

/** A note on some records of a batch. */
export type Note = {
  /** Line of the first of them. */
  readonly line: number;
  readonly field: string;
  readonly note: NoteCode;
  /** Number of the records. */
  readonly count: number;
};

/** Numbers of values by field. */
export type NoteCounts = Readonly<Record<NoteCode, Readonly<Record<string, number>>>>;

/** Collects the notes on a batch of records. */
export class Notes {
  readonly #notes = new Map<string, Note>();

  add(line: number, note: NoteCode, fields: readonly string[]): void {
    for (const field of fields) {
      const key = `${note} ${field}`;
      const { count, ...first } = this.#notes.get(key) ?? { line, field, note, count: 0 };
      this.#notes.set(key, { ...first, count: count + 1 });
    }
  }

  found(): readonly Note[] {
    return [...this.#notes.values()];
  }
}

export const noCounts: NoteCounts = { rounded: {}, computed: {} };

export function addNotes(
  counts: NoteCounts,
  notes: readonly Pick<Note, "field" | "note" | "count">[],
): NoteCounts {
  const sums = { rounded: { ...counts.rounded }, computed: { ...counts.computed } };
  for (const { note, field, count } of notes) sums[note][field] = (sums[note][field] ?? 0) + count;
  return sums;
}

/** The notes that stand in the rejects file: on what is stored otherwise than it came. */
export const toldNotes = <Told extends Pick<Note, "note">>(notes: readonly Told[]) =>
  notes
    .filter(({ note }) => note === "rounded")
    .map((note) => ({ ...note, reason: "the value has more digits than the field, and is stored rounded" }));
