/** What is told of a record that is taken: stable codes, and what they mean. */
const noteReasons = {
  placekey_far_from_coordinates:
    "the Placekey lies more than 1 km from the coordinates: it is left out, and the listing has a provisional identity",
  placekey_outside_state:
    "the Placekey lies outside the state, and there are no coordinates: it is left out, and the listing has a provisional identity",
  assigned_placekey_far_from_coordinates:
    "the Placekey of the crosswalk lies more than 1 km from the coordinates: it counts, for the operator has assigned it",
  assigned_placekey_outside_state:
    "the Placekey of the crosswalk lies outside the state: it counts, for the operator has assigned it",
} as const;

export type NoteCode = keyof typeof noteReasons;

/** A line of the rejects file about a record that is taken. */
export type Note = {
  readonly line: number;
  readonly field: string;
  readonly code: NoteCode;
  readonly reason: string;
};

export const noteOf = (line: number, field: string, code: NoteCode): Note => ({
  line,
  field,
  code,
  reason: noteReasons[code],
});
