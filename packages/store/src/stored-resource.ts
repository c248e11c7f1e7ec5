import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";

/** Storage of an entity set: the properties with a typed column, and the indexes. */
export type StoredResource = {
  readonly entitySet: EntitySet;
  /** Names of the properties with their own column; the others are read from the record's JSON text. */
  readonly columns: readonly string[];
  /** True if records may belong to no dataset, such as common lookups. By default every record has one. */
  readonly shared?: boolean;
  /** Column names of each index. The key needs none: it already has one. */
  readonly indexes: readonly (readonly string[])[];
  /** Names of `Edm.GeographyPoint` columns that get a spatial index, for `geo.distance` and `geo.intersects`. */
  readonly points?: readonly string[];
  /**
   * Names of `Edm.String` columns that get a trigram index, for `contains`, `startswith` and `endswith`, also of `tolower` and `toupper`. It
   * has the texts of each dataset apart. On PostgreSQL it needs the extensions `pg_trgm` and `btree_gin`; without them there is none.
   */
  readonly texts?: readonly string[];
  /** Like `indexes`, but the first column other than the dataset is indexed by its case-folded text, for `$ignorecase`. */
  readonly folded?: readonly (readonly string[])[];
  /**
   * Column names of each index of the first schema, which did not record its indexes: a migration from it drops them. Later schemas record
   * theirs.
   */
  readonly formerIndexes?: readonly (readonly string[])[];
  /** Columns besides the dataset that only access restrictions read and no query can name. */
  readonly hidden?: readonly StructuralProperty[];
  /**
   * Computes hidden columns from the dataset and the record. A migration fills a new hidden column with it; writers pass the values
   * with each record.
   */
  readonly derived?: (datasetId: string | null, record: Row) => Row;
  /**
   * The record whose values the hidden columns copy. Publications and rollbacks update the copies; a plain commit stores the given values.
   */
  readonly follows?: Follows;
  /** Groups for which each build stores, by field, the number of records that have a value. Absent: nothing is counted. */
  readonly counted?: Counted;
};

/** A record of the same dataset that another one belongs to. */
export type Follows = {
  /** Name of a stored entity set whose key has one property. */
  readonly resource: string;
  /** Name of the column that refers to that key. */
  readonly key: string;
  /** Maps names of hidden columns to columns of that record. Their values are null if there is no such record. */
  readonly values: Readonly<Record<string, string>>;
};

/** Columns by which the records of a resource are counted, besides their source and dataset. All of them hold texts. */
export type Counted = {
  /** Name of the column with the system that a record comes from. */
  readonly system: string;
  /** Location columns, from the largest place to the smallest: a state, a county. */
  readonly places: readonly LocationColumn[];
};

/**
 * A location column. With `characters`, records are counted by that many first characters of its values, such as 5 of a ZIP+4 code. Counts can
 * then be restricted by a filter that compares the column with texts of at most that length, and by no other filter on it.
 */
export type LocationColumn = { readonly column: string; readonly characters?: number };
