/** A point in GeoJSON: longitude first. Source: RFC 7946, 3.1.2. */
type GeoPoint = { readonly type: "Point"; readonly coordinates: readonly [number, number] };

/** The value of a field in its JSON form. */
export type FieldValue = string | number | boolean | readonly string[] | GeoPoint;

/** A record in JSON form: RESO field names, only fields with a value, in catalog order. */
export type SampleRecord = Readonly<Record<string, FieldValue>>;
