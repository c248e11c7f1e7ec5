import type { RestrictedQuery } from "@cadastre/entitlement";
import type { StructuralProperty } from "@cadastre/odata";

/** Number of counted records with a value of a property. */
export type FieldCoverage = {
  readonly property: StructuralProperty;
  /** Number of records; 0 if there are some, but too few to be counted. */
  readonly records: number;
  /** Number of records with a value that is neither null nor empty. */
  readonly populated: number;
};

/** Coverage of the records of a source that come from one system. */
export type MarketCoverage = {
  /** Null for records that were committed without a source. */
  readonly source: string | null;
  readonly system: string | null;
  readonly fields: readonly FieldCoverage[];
};

/** A place, by column, with the values that a query shows. `{}` means everywhere. */
export type RegionValues = Readonly<Record<string, string>>;

/** Counts of the values in the records of a build. The same object is returned for as long as the build is served. */
export type Coverage = {
  /** Number of the commit that was counted. */
  readonly checkpoint: number;
  /**
   * Returns the part of the coverage that a query may see. It evaluates the query for all counted groups, so keep the result.
   *
   * @throws {StoreError} `uncounted_scope` if the filter, or the expression that shows a place, reads properties that the records
   * are not counted by
   */
  readonly within: (query: RestrictedQuery) => CoverageWithin;
};

/** Counts of the values in the records that a query finds. */
export type CoverageWithin = {
  /**
   * Returns the markets of a place with the properties that the query selects. Each property is counted over the datasets that
   * show it unmasked. Records are counted in groups of a minimum size, and a group is counted completely or not at all.
   */
  readonly count: (place: RegionValues) => readonly MarketCoverage[];
};
