import type { RestrictedQuery } from "@cadastre/entitlement";
import type { EntitySet, RecordForm, Row, StructuralProperty } from "@cadastre/odata";
import type { Builds } from "./build/build.ts";
import type { Counted, Coverage } from "./coverage/coverage.ts";
import type { CostClass, Use } from "./read/turns.ts";

/** An entity set as it is stored: which properties get a typed column, and which columns an index. */
export type StoredResource = {
  readonly entitySet: EntitySet;
  /** Names of properties with a column of their own; the others are read from the record's JSON text. */
  readonly columns: readonly string[];
  /** Names of columns, an index each. The key has one already. */
  readonly indexes: readonly (readonly string[])[];
  /** Names of columns of type `Edm.GeographyPoint`, an index each: it serves `geo.distance` and `geo.intersects`. */
  readonly points?: readonly string[];
  /** As `indexes`, but with the text of each one's first column, the dataset aside, as `$ignorecase` compares it. */
  readonly folded?: readonly (readonly string[])[];
  /**
   * Parts of the names of indexes that the first schema had, which did not record them: a migration of such a database drops them. Those
   * of later schemas are on record.
   */
  readonly formerIndexes?: readonly (readonly string[])[];
  /** Columns that restriction reads and no query can name, beside that of the dataset. */
  readonly hidden?: readonly StructuralProperty[];
  /**
   * Computes hidden columns from the dataset and the record. A migration fills a new hidden column with it; writers pass the values
   * with each record.
   */
  readonly derived?: (datasetId: string | null, record: Row) => Row;
  /** Whose values the hidden columns hold. Publications and rollbacks keep them equal; a plain commit takes them as given. */
  readonly follows?: Follows;
  /** By what it is kept with each build how many records have values. Absent: it is not kept. */
  readonly counted?: Counted;
};

/** A record that another one belongs to. */
export type Follows = {
  /** Name of a stored entity set with a key of one property. */
  readonly resource: string;
  /** Name of the column that holds its key. */
  readonly key: string;
  /** By name of a hidden column, the column of that record; null where there is no such record. */
  readonly values: Readonly<Record<string, string>>;
};

/** A record, what it is and whose it is. */
export type StoredRecord = {
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Null for a record that all datasets share. */
  readonly datasetId: string | null;
  /** JSON form; nulls and empty collections may be left out. */
  readonly record: Row;
  /** Values of the resource's hidden properties. */
  readonly hidden?: Row;
  /** Name of the source that it is from: a full set of that source, once published, deletes what it does not name. */
  readonly source?: string;
};

/** A record that is no longer there. */
export type RemovedRecord = {
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Values of the key in JSON form, in the order of the key. */
  readonly removed: readonly unknown[];
};

/** A record of a known key replaces the one before. */
export type Change = StoredRecord | RemovedRecord;

/** What a commit has done. */
export type Commit = {
  /** Number of the commit; that of the last one before if nothing changed. Numbers rise in the order of commits. */
  readonly checkpoint: number;
  readonly written: number;
  /** Records that were there already, to the letter. */
  readonly unchanged: number;
  readonly removed: number;
};

/**
 * The last record of a page, in the state of the store that its walk reads. Pages after it are read as of the same
 * checkpoint: a record that is changed meanwhile is met once, one that is deleted is not met any more.
 */
export type Bookmark = {
  readonly checkpoint: number;
  /** Values of the key in database form. */
  readonly key: readonly unknown[];
};

export type ReadOptions = {
  /** For a page: where it starts; without one, at the first record that there is now. */
  readonly from?: Bookmark | undefined;
  /**
   * For a page: the checkpoint that it is read as of. Then it has exactly the records that there were, those that are
   * deleted by now too, and so have the pages after it, whose bookmarks are to be given with the same checkpoint.
   */
  readonly asOf?: number | undefined;
  /** With `asOf`, and no later: only the records whose version of then began after this checkpoint. */
  readonly since?: number | undefined;
  /** With `asOf`, and no earlier: only the records whose version of then had ended by this checkpoint. */
  readonly until?: number | undefined;
  /** Whether to write a line for each record, which ends with a newline, and no commas. By default not. */
  readonly lines?: boolean | undefined;
  /** Whether to count the records that match as well, whatever the page. */
  readonly count?: boolean | undefined;
  /** Whether members without a value are written out, as null. By default they are. */
  readonly nulls?: boolean | undefined;
  /** For a page: the JSON form of the records; by default that in which they are stored. Not for lines. */
  readonly form?: RecordForm | undefined;
  /** Gives the query up when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** True if nobody waits for the answer: the query leaves readers to others, and is not charged to its customer's limit of scans. */
  readonly background?: boolean | undefined;
};

export type Page = {
  /**
   * The records' selected properties as JSON text in UTF-8, with commas between the records or a line for each. Empty
   * collections are written out.
   */
  readonly records: Uint8Array;
  /**
   * To be called when `records` are not read any more: their memory is used for the next page. Without the call it is
   * left to be collected.
   */
  readonly release?: (() => void) | undefined;
  /** Number of records. */
  readonly length: number;
  /** Where the next page starts; null when the result is complete. */
  readonly next: Bookmark | null;
  readonly count?: number;
};

/**
 * Reads, each of them restricted to a scope. All of them throw a `StoreError`: `query_timeout`, `query_canceled`,
 * `store_busy`.
 */
export type Store = {
  /** @throws {StoreError} `bookmark_expired` */
  readonly page: (query: RestrictedQuery, options?: ReadOptions) => Promise<Page>;
  /** Records that match, whatever the page. */
  readonly count: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "signal" | "background">,
  ) => Promise<number>;
  /** The first record that matches, as JSON text in UTF-8. */
  readonly one: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "nulls" | "signal" | "background">,
  ) => Promise<Uint8Array | undefined>;
  /**
   * What the records of the serving build have values of, counted in groups of at least so many records. None, where no
   * build has been published or the resource is not counted.
   *
   * @throws {StoreError} `unknown_resource`
   */
  readonly coverage: (resource: string, least: number) => Promise<Coverage | undefined>;
  /** Number of the last commit; 0 before the first. */
  readonly checkpoint: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** A {@link Store}, with the means to fill it. */
export type WritableStore = Store & {
  /**
   * Make changes in one transaction: all of them or none.
   *
   * @throws {StoreError} `invalid_record`, `unknown_resource`
   */
  readonly commit: (changes: Iterable<Change> | AsyncIterable<Change>) => Promise<Commit>;
  /** Changes that wait to be served, and the states that are and were. */
  readonly builds: Builds;
  /**
   * Forget the versions that ended before `time`, in milliseconds since 1970, and by the checkpoint `kept`, and that none
   * of the last `builds` builds of their resource needs, by default 3. Gives how many there were. No earlier checkpoint
   * can be read after that.
   */
  readonly prune: (time: number, builds?: number, kept?: number) => Promise<number>;
  /** Queries that wait for a thread or a connection. */
  readonly waiting: () => number;
  /** Number of queries that ended, and the seconds that readers spent on them, since the store was opened. */
  readonly used: () => Readonly<Record<CostClass, Use>>;
  /** What the owner of the database wants kept with it, by key. */
  readonly notes: {
    readonly get: (key: string) => Promise<string | undefined>;
    readonly set: (key: string, text: string) => Promise<void>;
  };
  /** The database's plan for a page, a step a line; for a next page, over closed versions as well if there are some since. */
  readonly explain: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "from">,
  ) => Promise<readonly string[]>;
};
