import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Bookmark, Change, Commit, Page } from "../store.ts";

/** What is valid JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A state of a resource that is served, or was: what a publication or a rollback left. */
export type Build = {
  /** A ULID. */
  readonly id: string;
  /** Name of a stored entity set. */
  readonly resource: string;
  /** Number of the commit that it reads as of. */
  readonly checkpoint: number;
  /** Id of the build that was served before; null for the first one. */
  readonly previous: string | null;
  /** Number of records. */
  readonly records: number;
  /**
   * Tells one state from another: the sum of the SHA-256 hashes of dataset and text of every record, modulo 2^256, in
   * hexadecimal digits. The text's members are in the order in which the store came to know them.
   */
  readonly sha256: string;
  /** How far each source had been read, by its name. */
  readonly cursors: Readonly<Record<string, string>>;
  /** What the check of the publication gave; null if there was none. */
  readonly evidence: Json;
  /** Milliseconds since 1970. */
  readonly published: number;
};

/** Where a batch of a source starts and ends. Cursors are texts of the caller's own. */
export type BatchOptions = {
  /** How far the source has been read with this batch. */
  readonly cursor: string;
  /**
   * The cursor that the batch starts at; null at the source's beginning. Without one the batch is taken wherever the
   * source stands.
   */
  readonly after?: string | null | undefined;
  /**
   * Whether the batch is the first or the last one of a full set, or all of it. When the set is published, the records
   * of the source that it does not name are deleted; while it is open, nothing of the source is published.
   */
  readonly fullSet?: "begins" | "ends" | "whole" | undefined;
};

/** What became of a batch. */
export type Staged = {
  /** Changes that were taken; none if the batch had been staged before. */
  readonly changes: number;
};

/** The state that a publication would have a resource serve, with all of its records: for its check alone. */
export type Candidate = Pick<Build, "resource" | "checkpoint" | "previous" | "records" | "sha256"> & {
  /** What the publication changes, in all of its resources. */
  readonly commit: Commit;
  /** A page of the candidate state. */
  readonly page: (
    query: RestrictedQuery,
    options?: { readonly from?: Bookmark | undefined },
  ) => Promise<Page>;
  /** Number of records of the candidate state that match. */
  readonly count: (query: RestrictedQuery) => Promise<number>;
  /** All records of the resource, restricted by nothing, in no order. */
  readonly all: () => AsyncIterable<CandidateRecord>;
  /** Those of all records that the publication adds or changes. */
  readonly changed: () => AsyncIterable<CandidateRecord>;
  /** The records of the resource that the publication removes, as they were. */
  readonly removed: () => AsyncIterable<CandidateRecord>;
  /**
   * Numbers of the records that the publication removes from the resource and from those that follow it: one entry
   * for each source of the resource, and of each set that loses a record.
   */
  readonly setChanges: () => Promise<readonly SetChange[]>;
};

/** Number of records of a source in a resource, and of those that a publication removes. */
export type SetChange = {
  readonly resource: string;
  /** Null for records that were committed without a source. */
  readonly source: string | null;
  /** Number of records that were served before. */
  readonly before: number;
  readonly removed: number;
};

export type CandidateRecord = {
  /** Null if it is of no dataset. */
  readonly datasetId: string | null;
  /** JSON text, without nulls and empty collections. */
  readonly text: string;
  /** True if the publication adds the record, or changes it. */
  readonly isChanged: boolean;
};

/** Called with what a rollback removes, before it takes effect. Throws to prevent the rollback. */
export type Review = (changes: readonly SetChange[]) => void;

/** What a check finds of a candidate. */
export type Verdict = { readonly passed: boolean; readonly evidence: Json };

export type Check = (candidate: Candidate) => Promise<Verdict> | Verdict;

/** What a publication has done: nothing at all, if the candidate of one of the resources did not pass. */
export type Publication =
  | { readonly published: true; readonly commit: Commit; readonly builds: readonly Build[] }
  | { readonly published: false; readonly verdicts: Readonly<Record<string, Verdict>> };

/** Changes that wait to be served, and the states that are and were. */
export type Builds = {
  /**
   * Take a batch of changes of a source, all of it or nothing, together with its cursor: nothing of it is served yet.
   * A later change of a record replaces an earlier one of the same source. A batch that starts elsewhere than the
   * source stands is not taken: it has been staged before if it ends there, and does not follow otherwise.
   *
   * @throws {StoreError} `invalid_record`, `unknown_resource`, `cursor_passed`, `set_not_begun`
   */
  readonly stage: (
    resource: string,
    source: string,
    changes: Iterable<Change> | AsyncIterable<Change>,
    options: BatchOptions,
  ) => Promise<Staged>;
  /** How far a source has been staged; null before its first batch. */
  readonly cursor: (resource: string, source: string) => Promise<string | null>;
  /**
   * Keys of the records of a source as a publication would leave them, in their order: those after `after`, at most
   * 10,000 at a time. Their values are in database form.
   *
   * @throws {StoreError} `unknown_resource`
   */
  readonly keys: (
    resource: string,
    source: string,
    after?: readonly unknown[],
  ) => Promise<readonly (readonly unknown[])[]>;
  /** Forget what is staged of a source: its cursor is again that of the serving build. Gives the number of changes. */
  readonly discard: (resource: string, source: string) => Promise<number>;
  /**
   * Make all that is staged of the resources one commit, and a build of each of them. Readers see the state before
   * until the commit ends. If a check does not pass, or throws, nothing has changed, and what is staged stays so.
   *
   * @throws {StoreError} `invalid_record`, `unknown_resource`
   */
  readonly publish: (resources: readonly string[], check?: Check) => Promise<Publication>;
  /**
   * Serve an earlier build of a resource again, as a build of its own. Its sources stand where they stood then, and
   * what is staged of them is forgotten. If `review` throws, nothing has changed.
   *
   * @throws {StoreError} `unknown_build`, `build_expired`
   */
  readonly rollback: (resource: string, build: string, review?: Review) => Promise<Build>;
  /** Builds of a resource, the serving one first. */
  readonly list: (resource: string) => Promise<readonly Build[]>;
  /** The build that is served; a resource that was never published has none. */
  readonly current: (resource: string) => Promise<Build | undefined>;
};
