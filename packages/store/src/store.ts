import type { RestrictedQuery } from "@cadastre/entitlement";
import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";

/** An entity set as it is stored: which properties get a typed column, and which columns an index. */
export type StoredResource = {
  readonly entitySet: EntitySet;
  /** Names of properties with a column of their own; the others are read from the record's JSON text. */
  readonly columns: readonly string[];
  /** Names of columns, an index each. The key has one already. */
  readonly indexes: readonly (readonly string[])[];
  /** Columns that restriction reads and no query can name, beside that of the dataset. */
  readonly hidden?: readonly StructuralProperty[];
};

/** A record, what it is and whose it is. */
export type StoredRecord = {
  /** Name of a stored entity set. */
  readonly resource: string;
  readonly datasetId: string;
  /** JSON form, without nulls and empty collections. */
  readonly record: Row;
  /** Values of the resource's hidden properties. */
  readonly hidden?: Row;
};

export type Page = {
  /** The selected properties in JSON form: nulls are explicit, collections are arrays. */
  readonly rows: readonly Row[];
  /** Where the next page starts, see `BoundQuery.after`; null when the result is complete. */
  readonly after: readonly unknown[] | null;
};

/** Reads, each of them restricted to a scope. */
export type Store = {
  readonly page: (query: RestrictedQuery) => Promise<Page>;
  /** Records that match, whatever the page. */
  readonly count: (query: RestrictedQuery) => Promise<number>;
  /** The first record that matches. */
  readonly one: (query: RestrictedQuery) => Promise<Row | undefined>;
  readonly close: () => Promise<void>;
};
