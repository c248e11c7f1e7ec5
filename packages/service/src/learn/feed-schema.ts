import type { Annotation } from "@cadastre/odata/run";

/** A field as a source describes it: a property of its metadata. */
export type FeedField = {
  readonly resource: string;
  readonly name: string;
  /** Type of a value, such as `Edm.String`. An enumeration is `Edm.String` with a lookup. Another type is not representable. */
  readonly type: string;
  readonly collection: boolean;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly displayName?: string;
  /** Name of its lookup in the source. */
  readonly lookup?: string;
  readonly annotations?: readonly Annotation[];
};

/** A value of a lookup: its display form, and the name of the enumeration member if the source has one. */
export type FeedLookupValue = readonly [value: string, legacyODataValue: string | undefined];

/** The fields and lookups of a source. */
export type FeedSchema = {
  readonly fields: readonly FeedField[];
  readonly lookups: ReadonlyMap<string, readonly FeedLookupValue[]>;
};
