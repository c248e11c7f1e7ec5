import type { RestrictedQuery } from "@cadastre/entitlement";
import type { StructuralProperty } from "@cadastre/odata";

/** By what the records of a resource are counted, beside their source and dataset. All of them are columns of texts. */
export type Counted = {
  /** Name of the column of the system that a record is from. */
  readonly system: string;
  /** Where it lies, each place within the one before: a state, a county. */
  readonly places: readonly Place[];
};

/**
 * A column of places; `characters`: as much of its values as these first ones. A filter may compare such a column with
 * texts that are no longer, and may do nothing else with it.
 */
export type Place = { readonly column: string; readonly characters?: number };

/** How many records have a value of a property, among those that are counted. */
export type FieldCoverage = {
  readonly property: StructuralProperty;
  /** 0: there are some, and too few of them to be counted. */
  readonly records: number;
  /** Those with a value that is neither null nor empty. */
  readonly populated: number;
};

/** What a source has of one system. */
export type MarketCoverage = {
  /** Null for records that were committed without one. */
  readonly source: string | null;
  readonly system: string | null;
  readonly fields: readonly FieldCoverage[];
};

/** A place, by column: what a query shows there. `{}`: everywhere. */
export type PlaceValues = Readonly<Record<string, string>>;

/** What the records of a build have values of. The same object for as long as the build is served. */
export type Coverage = {
  /** Number of the commit that it is as of. */
  readonly checkpoint: number;
  /**
   * What of it the query finds, which takes a look at all that is counted: to be kept.
   *
   * @throws {StoreError} `uncounted_scope` if the filter, or what is shown of a place, reads what the records are not counted by.
   */
  readonly within: (query: RestrictedQuery) => CoverageWithin;
};

/** What the records that a query finds have values of. */
export type CoverageWithin = {
  /**
   * The markets of a place, with the properties that the query selects: each over the records of the datasets that show it
   * whole. Records are counted in groups that are large enough, and never in part.
   */
  readonly count: (place: PlaceValues) => readonly MarketCoverage[];
};
