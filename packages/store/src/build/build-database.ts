import type { SqlFragment } from "@cadastre/odata";
import type { Session, WithSession } from "../database/session.ts";
import type { FormOf } from "../record/column-values.ts";
import type { StoredTable, TableSchema } from "../schema/table.ts";
import type { Commit } from "../store.ts";
import type { PendingChange } from "../write/version.ts";
import type { Candidate } from "./build.ts";

/** An open commit. All of its changes are in one transaction. */
export type OpenCommit = {
  readonly session: Session;
  /** Applies changes. */
  readonly fill: (changes: Iterable<PendingChange> | AsyncIterable<PendingChange>) => Promise<void>;
  /**
   * Restores a resource, or its records of one dataset, to the state at a checkpoint; at 0 there are none. Returns the number of records
   * written and removed.
   */
  readonly restore: (
    resource: string,
    checkpoint: number,
    datasetId?: string,
  ) => Promise<Pick<Commit, "written" | "removed">>;
  /** Updates the records that follow others to the current values of those, see `StoredResource.follows`. */
  readonly updateFollowers: () => Promise<void>;
  /** Records the commit in the bookkeeping tables. Call it after the last change. */
  readonly finish: () => Promise<Commit>;
};

/** Reads the uncommitted state of an open commit. */
export type CandidateReads = Pick<Candidate, "page" | "count">;

/** The database operations that publishing a build needs. */
export type BuildDatabase = {
  readonly tables: ReadonlyMap<string, StoredTable>;
  readonly formOf: FormOf;
  /** Expression for the dataset id of a row. */
  readonly datasetId: SqlFragment;
  /** Returns the condition that a row is of a dataset, for which only the rows of that dataset are read. */
  readonly isOfDataset: (datasetId: string) => SqlFragment;
  /** Returns the SQL of the SHA-256 hash of a text in UTF-8, in hexadecimal digits. */
  readonly sha256: (text: SqlFragment) => SqlFragment;
  /** Deletes all rows of a table within the session's transaction. */
  readonly emptyTable: (session: Session, table: string) => Promise<void>;
  /** Runs `work`. Each of its statements may see another committed state. */
  readonly read: WithSession;
  /** Runs `work` on one committed state, however many statements it takes. Does not wait for commits, and no commit waits for it. */
  readonly snapshot: WithSession;
  /**
   * Runs `work` in a transaction while no commit of {@link write} is open, and no other batch of the source is staged. Batches of other sources
   * may be staged meanwhile. If `work` throws, the transaction is rolled back.
   */
  readonly stage: <T>(resource: string, source: string, work: (session: Session) => Promise<T>) => Promise<T>;
  /** Waits until no other batch has the lock on the staged changes of a resource, and keeps it until the transaction ends. */
  readonly lockStaged: (session: Session, table: TableSchema) => Promise<void>;
  /** Runs `work` in a commit while no other commit is open. If `work` throws, the commit is rolled back. */
  readonly write: <T>(work: (commit: OpenCommit, reads: CandidateReads) => Promise<T>) => Promise<T>;
};
