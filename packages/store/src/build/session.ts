import type { SqlFragment } from "@cadastre/odata";
import type { FormOf } from "../read/columns.ts";
import type { VersionMapping } from "../read/versions.ts";
import type { Member } from "../record/members.ts";
import type { TableSchema } from "../schema/table.ts";
import type { Commit } from "../store.ts";
import type { Writing } from "../write/version.ts";
import type { Candidate } from "./build.ts";

/** A row in the database's form. */
export type Fields = readonly unknown[];

/** Statements on one connection. */
export type Session = {
  readonly rows: (statement: SqlFragment) => Promise<readonly Fields[]>;
  /** Run a statement once for each of `all`, which are the values that it is given instead of its own. */
  readonly each: (statement: SqlFragment, all: readonly (readonly unknown[])[]) => Promise<void>;
  /** Rows as they are asked for: within a transaction, which may write other tables meanwhile. */
  readonly stream: (statement: SqlFragment) => AsyncIterable<Fields>;
};

/** A commit that is being made. What is done in it comes to be, or not, with all of it. */
export type OpenCommit = {
  readonly session: Session;
  /** Make all changes that there are. */
  readonly fill: (changes: Iterable<Writing> | AsyncIterable<Writing>) => Promise<void>;
  /** Make a resource what it was at a checkpoint. */
  readonly restore: (resource: string, checkpoint: number) => Promise<void>;
  /** Have the records that belong to others say what those say by now, see `StoredResource.follows`. */
  readonly follow: () => Promise<void>;
  /** Note what was made; nothing is made afterwards. */
  readonly finish: () => Promise<Commit>;
};

/** Reads of what an open commit has made. */
export type CandidateReads = Pick<Candidate, "page" | "count">;

/** A resource as builds are made of it. */
export type BuiltTable = {
  readonly table: TableSchema;
  readonly members: ReadonlyMap<string, Member>;
  readonly mapping: VersionMapping;
};

/** What builds need of a database. */
export type Ground = {
  readonly tables: ReadonlyMap<string, BuiltTable>;
  readonly formOf: FormOf;
  /** The SHA-256 hash of a text in UTF-8, in hexadecimal digits. */
  readonly sha256: (text: SqlFragment) => SqlFragment;
  /** See what is committed. */
  readonly read: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Make a commit while no other one is made. What `work` throws undoes it. */
  readonly write: <T>(work: (commit: OpenCommit, reads: CandidateReads) => Promise<T>) => Promise<T>;
};
