import type { RestrictedApply, RestrictedQuery } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { AppliedForm } from "@cadastre/odata/apply";
import type { RecordForm } from "@cadastre/odata/run";
import type { Coverage } from "./coverage/coverage.ts";
import type { ReadStages } from "./read/read-stages.ts";

/** A record with its resource, dataset and hidden values. */
export type StoredRecord = {
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Null for a record that all datasets share, which only a `shared` resource can have. */
  readonly datasetId: string | null;
  /** JSON form; nulls and empty collections may be omitted. */
  readonly record: Row;
  /** Values of the resource's hidden properties. */
  readonly hidden?: Row;
  /** Name of the source that it came from. Publishing a full set of that source deletes the records that the set does not contain. */
  readonly source?: string;
  /** JSON text of `record`, if the caller has it: staged as it is, and not written anew. */
  readonly text?: string | undefined;
};

/** The removal of a record. Nothing is removed if the record belongs to another dataset. */
export type RemovedRecord = {
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Dataset of the record, see {@link StoredRecord.datasetId}. */
  readonly datasetId: string | null;
  /** Values of the key in JSON form, in the order of the key's properties. */
  readonly removed: readonly unknown[];
};

/** A record to insert or replace by its key, or one to remove. A key that another dataset holds is refused until it is removed there. */
export type Change = StoredRecord | RemovedRecord;

export type CommitOptions = {
  /**
   * The dataset of all changes. In PostgreSQL, commits of different datasets then run at the same time. Any other commit runs alone. Records of a
   * `shared` resource cannot be in a commit of a dataset.
   */
  readonly datasetId?: string | undefined;
};

/** Result of a commit. */
export type Commit = {
  /** Number of the commit; if nothing changed, that of the last commit. Numbers increase with every commit. */
  readonly checkpoint: number;
  readonly written: number;
  /** Number of records that were already stored with exactly these values. */
  readonly unchanged: number;
  readonly removed: number;
};

/**
 * Position of a keyset pagination: the last record of a page, and the checkpoint that the walk reads. The following pages are read as of
 * that checkpoint: a record that is changed meanwhile is returned once, one that is deleted is no longer returned.
 */
export type Bookmark = {
  readonly checkpoint: number;
  /** Values of the key in database form. */
  readonly key: readonly unknown[];
};

export type ReadOptions = {
  /** For a page: its start. By default the first record of the current state. */
  readonly from?: Bookmark | undefined;
  /**
   * For a page: the checkpoint to read as of. The page and the following ones then contain exactly the records of that checkpoint,
   * including those deleted since. Bookmarks must be given with the same checkpoint.
   */
  readonly asOf?: number | undefined;
  /** With `asOf`, and not later than it: only records whose version at `asOf` began after this checkpoint. */
  readonly since?: number | undefined;
  /** With `asOf`, and not earlier than it: only records whose version at `asOf` had ended by this checkpoint. */
  readonly until?: number | undefined;
  /** True to write one line per record, ended by a newline, instead of commas between records. By default false. */
  readonly lines?: boolean | undefined;
  /** True to also return the keys of a page's records, also of a selection of nothing, whose records are empty objects. By default false. */
  readonly keys?: boolean | undefined;
  /** True to also count all matching records. */
  readonly count?: boolean | undefined;
  /** True to write members without a value as null. By default true. */
  readonly nulls?: boolean | undefined;
  /** For a page: the JSON form of the records, by default the stored form. Not allowed with `lines`. */
  readonly form?: RecordForm | undefined;
  /** Cancels the query when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** True for a query that nobody waits for: other queries go first, and its time does not count against the customer's scan limit. */
  readonly background?: boolean | undefined;
  /** Times the stages of the read. By default none is timed. */
  readonly stages?: ReadStages | undefined;
};

export type Page = {
  /**
   * The records' selected properties as JSON text in UTF-8, with commas between the records or one line per record. Empty collections are
   * written.
   */
  readonly records: Uint8Array;
  /**
   * Returns the memory of `records` for use by other pages, whose records `records` may then show. Call it when they are not read any more.
   * Without the call, the memory is not used again.
   */
  readonly release?: (() => void) | undefined;
  /** Number of records. */
  readonly length: number;
  /** The checkpoint that the page shows: of a walk, that of its first page. */
  readonly checkpoint: number;
  /** With {@link ReadOptions.keys}: the values of each record's key in database form, one record after the other. */
  readonly keys?: readonly unknown[] | undefined;
  /** Key of the last record in database form; empty without records. */
  readonly last: readonly unknown[];
  /** Start of the next page; null after the last one. */
  readonly next: Bookmark | null;
  readonly count?: number | undefined;
};

/** A state of the past. */
export type PastState = {
  /** Its commit; 0 if there was none yet. */
  readonly checkpoint: number;
  /** The earliest checkpoint that can still be read. */
  readonly earliest: number;
};

/** A commit, told by its time from another one with its number: see {@link Store.committedAt}. */
export type Moment = {
  readonly checkpoint: number;
  /** Milliseconds since 1970; 0 for checkpoint 0. */
  readonly time: number;
};

/** Changes to read, of what a query finds. */
export type ChangeReadOptions = Pick<ReadOptions, "nulls" | "form" | "signal" | "background" | "stages"> & {
  readonly since: Moment;
  /** Undefined for the last commit. */
  readonly until: Moment | undefined;
  /** Finds removed records that the caller still sees, of the current state. Undefined if there are none. */
  readonly elsewhere: RestrictedQuery | undefined;
};

/** Changes of keys that follow each other. No key is twice. */
export type ChangedPage = {
  /** Records that are new or have other selected values, as JSON text in UTF-8, separated by commas, in the order of the key. */
  readonly records: Uint8Array;
  /** See {@link Page.release}. */
  readonly release?: (() => void) | undefined;
  /** Keys of the records. */
  readonly keys: readonly string[];
  /** Keys that the query does not find any more. */
  readonly removed: readonly {
    readonly key: string;
    /** True if `elsewhere` finds it. */
    readonly isElsewhere: boolean;
  }[];
  /** The commit that the changes lead to. */
  readonly until: Moment;
  /** Key of the last change; undefined without changes. */
  readonly last: string | undefined;
  /** True if another change follows. Undefined if it is not known: the changes of keys after `read` tell it. */
  readonly more: boolean | undefined;
  /** Key up to which all versions were read. */
  readonly read: string | undefined;
};

/** Numbers of records in the cells of a grid over two numbers, such as latitude and longitude. */
export type CellCounts = {
  /** Number of the last commit that was read. */
  readonly checkpoint: number;
  /**
   * Three numbers for each cell with records: the numbers of the cell in both directions, and that of its records. Cell 0 begins at 0.
   * Records without one of the two values are in no cell.
   */
  readonly cells: Int32Array;
};

/** A page to read of the rows that `$apply` results in. */
export type AppliedPageRead = {
  /** Values of the order that the page starts after. Undefined for the first page. */
  readonly from?: readonly unknown[] | undefined;
  /** True to also count the rows of all pages. */
  readonly count?: boolean | undefined;
  readonly form: AppliedForm;
};

/** A page of the rows that `$apply` results in. */
export type AppliedPage = {
  /** Records as JSON texts, without white space. */
  readonly records: readonly string[];
  /** Values of the order in the last row, for `from` of the next page; null after the last page. */
  readonly next: readonly unknown[] | null;
  readonly count?: number;
};

/**
 * Queries, each restricted to a scope. Every method throws {@link StoreError} `query_timeout`, `query_canceled`,
 * `store_busy`.
 */
export type Store = {
  /** @throws {StoreError} `bookmark_expired` */
  readonly page: (query: RestrictedQuery, options?: ReadOptions) => Promise<Page>;
  /**
   * Returns the first changes of what a query finds between two commits, at most `top`. A version that changes nothing of what the query
   * shows is no change.
   *
   * @param query in the order of its key, which is one text
   * @throws {StoreError} `bookmark_expired` if versions since then were pruned, or a commit is not there any more
   */
  readonly changes: (query: RestrictedQuery, read: ChangeReadOptions) => Promise<ChangedPage>;
  /** Returns the number of matching records on all pages. */
  readonly count: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "signal" | "background" | "stages">,
  ) => Promise<number>;
  /**
   * Returns the number of matching records in each cell of a grid.
   *
   * @param query selects two numbers, in whose order the cells are numbered
   * @param cellsPerUnit cells from a whole number to the next, in both directions
   * @param options `known`: counts of the same query at an earlier commit. Then only the versions that began or ended since are read,
   * unless there are many
   */
  readonly cells: (
    query: RestrictedQuery,
    cellsPerUnit: number,
    options?: Pick<ReadOptions, "signal" | "background" | "stages"> & {
      readonly known?: CellCounts | undefined;
    },
  ) => Promise<CellCounts>;
  /** Reads a page of the result of `$apply` over the current records. A page after the first is of the records that are current then. */
  readonly apply: (
    restricted: RestrictedApply,
    read: AppliedPageRead,
    options?: Pick<ReadOptions, "signal" | "background" | "stages">,
  ) => Promise<AppliedPage>;
  /** Returns the number of rows of the result of `$apply`. */
  readonly countApplied: (
    restricted: RestrictedApply,
    options?: Pick<ReadOptions, "signal" | "background" | "stages">,
  ) => Promise<number>;
  /** Returns the first matching record as JSON text in UTF-8. */
  readonly one: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "nulls" | "signal" | "background" | "stages">,
  ) => Promise<Uint8Array | undefined>;
  /**
   * Returns how many records of the published build have values, in groups of at least `least` records. Undefined if no build was
   * published, or if the resource is not counted.
   *
   * @throws {StoreError} `unknown_resource`
   */
  readonly coverage: (resource: string, least: number) => Promise<Coverage | undefined>;
  /** Returns the number of the last commit; 0 before the first. */
  readonly checkpoint: () => Promise<number>;
  /**
   * Returns when a commit was made, in milliseconds since 1970; 0 for checkpoint 0, undefined if there is no such commit. Tells a commit from
   * another one with its number, in a database that was restored or has lost its last commits in a failover.
   */
  readonly committedAt: (checkpoint: number) => Promise<number | undefined>;
  /** Returns the last commit that was made at or before a time. @param time milliseconds since 1970 */
  readonly stateAt: (time: number) => Promise<PastState>;
  readonly close: () => Promise<void>;
};
