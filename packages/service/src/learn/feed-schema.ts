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
  /**
   * Set if records have the names of an enumeration's members instead of the values of its lookup: `member` for one each, `flags` for
   * several in one text.
   */
  readonly enumeration?: "member" | "flags";
  readonly annotations?: readonly Annotation[];
  /** Facts that metadata does not state. Undefined: the field is of metadata. */
  readonly sampled?: SampledFacts;
};

/** Facts about the values of a field in a sample of records. */
export type SampledFacts = {
  /** Reasons why fields that the service has do not take all of the values, by their names. An absent field takes them. */
  readonly misfits: ReadonlyMap<string, string>;
  /** Reason why the values suggest no type. `undecided`: there is no value. */
  readonly untyped?: { readonly verdict: "undecided" | "left-out"; readonly reason: string };
  /** Remark on the proposed field. */
  readonly remark?: string;
};

/** A value of a lookup: its display form, and the name of the enumeration member if the source has one. */
export type FeedLookupValue = readonly [value: string, legacyODataValue: string | undefined];

/** The fields and lookups of a source. */
export type FeedSchema = {
  readonly fields: readonly FeedField[];
  readonly lookups: ReadonlyMap<string, readonly FeedLookupValue[]>;
  /** Remarks on the source. */
  readonly notes?: readonly string[];
};
