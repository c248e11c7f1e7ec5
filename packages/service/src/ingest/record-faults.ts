/** Reasons to reject a record: stable codes and their meaning. */
export const faultReasons = {
  malformed: "the line holds no record",
  unknown_field: "the resource has no such field",
  foreign_field: "the field is a local one of another system",
  missing_field: "the field has no value, and must have one",
  wrong_type: "the value is not of the field's type",
  forbidden_character: "the text holds U+0000 or half of a surrogate pair, which are not allowed",
  wrong_form: "the value is text, and must be a JSON number or boolean",
  too_long: "the text is longer than the field's length",
  too_large: "the number has more digits left of the point than the field's Precision and type allow",
  too_precise:
    "the value has more digits right of the point than the field's Scale, or more than 15 digits in all",
  out_of_range: "the value is outside the field's range",
  // Only found in stored records, because ingest computes the field.
  not_computed: "the value is not the one that the service computes",
  invalid_placekey: "the value is not a canonical Placekey",
  unknown_lookup_value: "the field's lookup has no such value",
  wrong_system: "the record is of another originating system than the source",
  duplicate_key: "an earlier record of the file has the same key",
  coordinates_outside_state: "the coordinates lie outside the state of the record, or of its system",
  foreign_key: "the key belongs to a record of another originating system",
  unknown_media: "no media with this key is served of the system: publish it first",
  unknown_listing: "no listing with this key is served of the system: publish it first",
} as const;

export type FaultCode = keyof typeof faultReasons;

export type RecordFault = { readonly field: string | null; readonly code: FaultCode };
