import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Bookmark, Change, Commit, Page } from "../store.ts";

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A state of a resource that is or was served: the result of a publication or a rollback. */
export type Build = {
  /** A ULID. */
  readonly id: string;
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Number of the commit whose state the build serves. */
  readonly checkpoint: number;
  /** Id of the build that was served before; null for the first build. */
  readonly previous: string | null;
  /** Number of records. */
  readonly records: number;
  /**
   * Fingerprint of the state: the sum of the SHA-256 hashes of dataset and text of every record, modulo 2^256, in hexadecimal
   * digits. The members of each text are in the order in which the store first stored them. It is computed from the changed records and
   * the fingerprint before. It shows accidents, and is no proof against somebody who may choose records.
   */
  readonly sha256: string;
  /** Cursor of each source at the time of the build, by source name. */
  readonly cursors: Readonly<Record<string, string>>;
  /** Evidence that the check of the publication returned; null if there was no check. */
  readonly evidence: Json;
  /** Milliseconds since 1970. */
  readonly published: number;
};

/** Start and end of a batch of a source. The caller chooses the format of cursors; the store only compares them. */
export type BatchOptions = {
  /** Position of the source after this batch. */
  readonly cursor: string;
  /**
   * Cursor that the batch starts at; null for the beginning of the source. If undefined, the batch is accepted at any position of
   * the source.
   */
  readonly after?: string | null | undefined;
  /**
   * Marks the batch as the first or the last one of a full set, or as a complete set. Publishing a full set deletes the records
   * of the source that it does not contain. While the set is open, nothing of the source is published.
   */
  readonly fullSet?: "begins" | "ends" | "whole" | undefined;
};

/** Result of staging a batch. */
export type Staged = {
  /** Number of changes staged; 0 if the batch had been staged before. */
  readonly changes: number;
};

/** Number and fingerprint of the records that a publication is expected to serve, computed from the staged changes beforehand. */
export type Rehearsal = Pick<Build, "records" | "sha256">;

export type PublicationOptions = {
  /**
   * True to compute the result of the publication beforehand, see `Candidate.rehearsal`. It is computed on committed data while other
   * commits may go on, and again if the staged changes or the records have changed in the meantime.
   */
  readonly rehearse?: boolean | undefined;
};

/** The state, with all records of the resource, that a publication would serve. Only valid during the check. */
export type Candidate = Pick<Build, "resource" | "checkpoint" | "previous" | "records" | "sha256"> & {
  /** The commit of the publication; its numbers cover all of the published resources. */
  readonly commit: Commit;
  /** Undefined if the publication was not rehearsed. */
  readonly rehearsal: Rehearsal | undefined;
  /** Reads a page of the candidate state. */
  readonly page: (
    query: RestrictedQuery,
    options?: { readonly from?: Bookmark | undefined },
  ) => Promise<Page>;
  /** Counts the records of the candidate state that match. */
  readonly count: (query: RestrictedQuery) => Promise<number>;
  /** All records of the resource, unrestricted, in no particular order. */
  readonly all: () => AsyncIterable<CandidateRecord>;
  /** The records that the publication adds or changes. */
  readonly changed: () => AsyncIterable<CandidateRecord>;
  /** The records, changed or not, that have the same values in some columns as a record that the publication adds or changes. */
  readonly related: (columns: readonly string[]) => AsyncIterable<CandidateRecord>;
  /** The records of the resource that the publication removes, as they were before. */
  readonly removed: () => AsyncIterable<CandidateRecord>;
  /**
   * Counts the records that the publication removes from the resource and from the resources that follow it
   * (`StoredResource.follows`). Returns one entry for each source of the resource, and for each source of a following resource
   * that loses a record.
   */
  readonly setChanges: () => Promise<readonly SetChange[]>;
};

/** Number of records of a source in a resource, and how many of them a publication or rollback removes. */
export type SetChange = {
  readonly resource: string;
  /** Null for records that were committed without a source. */
  readonly source: string | null;
  /** Number of records served before the change. */
  readonly before: number;
  readonly removed: number;
};

export type CandidateRecord = {
  /** Null for a record without a dataset. */
  readonly datasetId: string | null;
  /** JSON text, without nulls and empty collections. */
  readonly text: string;
  /** True if the publication adds or changes the record. */
  readonly isChanged: boolean;
};

/** Called with the removals of a rollback before it takes effect. Throws to prevent the rollback. */
export type Review = (changes: readonly SetChange[]) => void;

/** Result of the check of a candidate. */
export type GateVerdict = { readonly passed: boolean; readonly evidence: Json };

export type Check = (candidate: Candidate) => Promise<GateVerdict> | GateVerdict;

/** Result of a publication. If the candidate of any resource did not pass, nothing is changed. */
export type PublicationResult =
  | { readonly published: true; readonly commit: Commit; readonly builds: readonly Build[] }
  | { readonly published: false; readonly verdicts: Readonly<Record<string, GateVerdict>> };

/** A difference between the records that are stored and those that were published. */
export type BuildFault = {
  readonly resource: string;
  /** The dataset with the difference: null for records without a dataset, undefined if it is not known. */
  readonly datasetId: string | null | undefined;
  readonly detail: string;
};

/** Numbers of records by resource, without those that are 0. */
export type RecordCounts = Readonly<Record<string, number>>;

/** A dataset whose records were removed, and which takes no new ones. */
export type DatasetRetirement = {
  readonly datasetId: string;
  /** Checkpoint of the last state that has its records. */
  readonly before: number;
  /** Time of the retirement, in milliseconds since 1970. */
  readonly time: number;
  /** Numbers of records that were removed. */
  readonly records: RecordCounts;
  /** True if no walk and no delivery can read these records any more: the states that have them were pruned. */
  readonly isPast: boolean;
};

/** Staged changes, and the builds of each resource: stages, publishes and rolls back. */
export type Builds = {
  /**
   * Stages a batch of changes of a source, together with its cursor, in one transaction. Nothing of it is served until it is
   * published. A later change of a record replaces an earlier one of the same source. A batch that does not start at the source's
   * cursor is ignored if it ends at the cursor, because it has been staged before; otherwise it is refused.
   *
   * @throws {StoreError} `invalid_record`, `key_of_another_dataset`, `dataset_retired`, `unknown_resource`, `cursor_passed`, `set_not_begun`
   */
  readonly stage: (
    resource: string,
    source: string,
    changes: Iterable<Change> | AsyncIterable<Change>,
    options: BatchOptions,
  ) => Promise<Staged>;
  /** Cursor of the last batch staged; null before the first batch. */
  readonly cursor: (resource: string, source: string) => Promise<string | null>;
  /**
   * Returns the keys that the records of a source would have after a publication, in key order: at most 10,000 keys greater than
   * `after`. Key values are in database form.
   *
   * @throws {StoreError} `unknown_resource`
   */
  readonly keys: (
    resource: string,
    source: string,
    after?: readonly unknown[],
  ) => Promise<readonly (readonly unknown[])[]>;
  /**
   * Deletes the staged changes of a source and resets its cursor to that of the serving build. Returns the number of changes
   * deleted.
   */
  readonly discard: (resource: string, source: string) => Promise<number>;
  /**
   * Applies all staged changes of the resources in one commit, and adds a build of each resource. Until the commit ends, readers
   * see the previous state. If a check does not pass or throws, nothing is changed and the changes remain staged.
   *
   * @throws {StoreError} `invalid_record`, `key_of_another_dataset`, `unknown_resource`
   */
  readonly publish: (
    resources: readonly string[],
    check?: Check,
    options?: PublicationOptions,
  ) => Promise<PublicationResult>;
  /**
   * Serves an earlier build of a resource again, as a new build. The cursors of its sources are reset to those of the earlier
   * build, and their staged changes are deleted. If `review` throws, nothing is changed.
   *
   * @throws {StoreError} `unknown_build`, `build_expired`; `dataset_retired` if the build has records of a retired dataset
   */
  readonly rollback: (resource: string, build: string, review?: Review) => Promise<Build>;
  /**
   * Removes all records of a dataset in one commit, and what is staged of it. From then on no record of it is accepted. Adds a build of each
   * published resource that loses records, with the evidence of the build before. `review` is called with the numbers of records before
   * the commit ends; if it throws, nothing is changed.
   *
   * @throws {StoreError} `dataset_retired` if it is retired already
   */
  readonly retire: (datasetId: string, review?: (records: RecordCounts) => void) => Promise<Commit>;
  /**
   * Ends a retirement. The dataset has the records again that it had before, as a commit and builds like those of the retirement; with
   * `isEmpty` it has none.
   *
   * @throws {StoreError} `dataset_not_retired`; `retirement_expired` if the records were pruned or forgotten; `key_of_another_dataset`
   */
  readonly reinstate: (datasetId: string, isEmpty?: boolean) => Promise<Commit>;
  /**
   * Deletes what is kept of a retired dataset to reinstate it with its records.
   *
   * @throws {StoreError} `dataset_not_retired`; `retirement_recent` unless `DatasetRetirement.isPast`
   */
  readonly forgetRetired: (datasetId: string) => Promise<void>;
  readonly retired: () => Promise<readonly DatasetRetirement[]>;
  /**
   * Computes the sum of the hashes of every dataset from all records, and compares it with the sum that publications have kept up to date;
   * compares the sum of all datasets with the serving build.
   *
   * @throws {StoreError} `unknown_resource`
   */
  readonly verify: (resource: string) => Promise<readonly BuildFault[]>;
  /** Returns the builds of a resource, starting with the one being served. */
  readonly list: (resource: string) => Promise<readonly Build[]>;
  /** Returns the build being served; undefined if the resource was never published. */
  readonly current: (resource: string) => Promise<Build | undefined>;
};
