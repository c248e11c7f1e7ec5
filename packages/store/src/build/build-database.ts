import type { SqlFragment } from "@cadastre/odata";
import type { FormOf } from "../read/columns.ts";
import type { VersionMapping } from "../read/versions.ts";
import type { Member } from "../record/members.ts";
import type { TableSchema } from "../schema/table.ts";
import type { Commit } from "../store.ts";
import type { PendingChange } from "../write/version.ts";
import type { Candidate } from "./build.ts";

/** Values of a row, in database form. */
export type RowValues = readonly unknown[];

/** Runs statements on one connection. */
export type Session = {
  readonly rows: (statement: SqlFragment) => Promise<readonly RowValues[]>;
  /** Runs a statement once for each row of values in `all`; they replace the values in the statement. */
  readonly each: (statement: SqlFragment, all: readonly (readonly unknown[])[]) => Promise<void>;
  /** Streams the rows of a statement. Within the transaction, other tables may be written meanwhile. */
  readonly stream: (statement: SqlFragment) => AsyncIterable<RowValues>;
};

/** An open commit. All of its changes are in one transaction. */
export type OpenCommit = {
  readonly session: Session;
  /** Applies changes. */
  readonly fill: (changes: Iterable<PendingChange> | AsyncIterable<PendingChange>) => Promise<void>;
  /** Restores a resource to its state at a checkpoint. */
  readonly restore: (resource: string, checkpoint: number) => Promise<void>;
  /** Updates the records that follow others to the current values of those, see `StoredResource.follows`. */
  readonly updateFollowers: () => Promise<void>;
  /** Records the commit in the bookkeeping tables. Call it after the last change. */
  readonly finish: () => Promise<Commit>;
};

/** Reads the uncommitted state of an open commit. */
export type CandidateReads = Pick<Candidate, "page" | "count">;

/** A resource with its table, as needed to publish builds. */
export type BuiltTable = {
  readonly table: TableSchema;
  readonly members: ReadonlyMap<string, Member>;
  readonly mapping: VersionMapping;
};

/** The database operations that publishing a build needs. */
export type BuildDatabase = {
  readonly tables: ReadonlyMap<string, BuiltTable>;
  readonly formOf: FormOf;
  /** Returns the SQL of the SHA-256 hash of a text in UTF-8, in hexadecimal digits. */
  readonly sha256: (text: SqlFragment) => SqlFragment;
  /** Runs `work` on committed data. */
  readonly read: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Runs `work` in a commit while no other commit is open. If `work` throws, the commit is rolled back. */
  readonly write: <T>(work: (commit: OpenCommit, reads: CandidateReads) => Promise<T>) => Promise<T>;
};
