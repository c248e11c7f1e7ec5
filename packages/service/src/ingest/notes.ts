/** Notes on records that were accepted with changes: the reason, and whether there is one note per record or per batch. */
const noteKinds = {
  rounded: { per: "batch", reason: "the value has more digits than the field allows, and is stored rounded" },
  computed: { per: "batch", reason: "the service computes the field and does not store the source's value" },
  placekey_far_from_coordinates: {
    per: "record",
    reason:
      "the Placekey lies more than 1 km from the coordinates: it is not stored, and the listing has a provisional id",
  },
  placekey_outside_state: {
    per: "record",
    reason:
      "the Placekey lies outside the state, and there are no coordinates: it is not stored, and the listing has a provisional id",
  },
  assigned_placekey_far_from_coordinates: {
    per: "record",
    reason:
      "the Placekey of the crosswalk lies more than 1 km from the coordinates: it is stored, because the operator has assigned it",
  },
  assigned_placekey_outside_state: {
    per: "record",
    reason:
      "the Placekey of the crosswalk lies outside the state: it is stored, because the operator has assigned it",
  },
} as const satisfies Readonly<Record<string, { readonly per: "batch" | "record"; readonly reason: string }>>;

export type NoteCode = keyof typeof noteKinds;

/** A note on changed records of a batch. */
export type Note = {
  /** Line of the first such record. */
  readonly line: number;
  readonly field: string;
  readonly note: NoteCode;
  /** Number of the records. */
  readonly count: number;
};

/** Numbers of records by note and field. */
export type NoteCounts = Readonly<Partial<Record<NoteCode, Readonly<Record<string, number>>>>>;

/** Collects the notes on a batch of records. */
export class Notes {
  readonly #notes = new Map<string, Note>();

  add(line: number, note: NoteCode, fields: readonly string[]): void {
    for (const field of fields) {
      const key = `${note} ${field}${noteKinds[note].per === "record" ? ` ${line}` : ""}`;
      const { count, ...first } = this.#notes.get(key) ?? { line, field, note, count: 0 };
      this.#notes.set(key, { ...first, count: count + 1 });
    }
  }

  found(): readonly Note[] {
    return [...this.#notes.values()];
  }
}

/** Adds the notes on a batch to the counts so far. */
export function addNotes(
  counts: NoteCounts,
  notes: readonly Pick<Note, "field" | "note" | "count">[],
): NoteCounts {
  const sums: Partial<Record<NoteCode, Record<string, number>>> = { ...counts };
  for (const { note, field, count } of notes)
    sums[note] = { ...sums[note], [field]: (sums[note]?.[field] ?? 0) + count };
  return sums;
}

/** Returns the notes for the rejects file. `computed` would be one for every batch, so it is only in the summary. */
export const toldNotes = <Told extends Pick<Note, "note">>(notes: readonly Told[]) =>
  notes
    .filter(({ note }) => note !== "computed")
    .map((told) => ({ ...told, reason: noteKinds[told.note].reason }));
