import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Builds } from "./build/build.ts";
import type { ReplicaStatus } from "./read/replica-status.ts";
import type { CostClass, Use } from "./read/scheduler.ts";
import type { Change, Commit, CommitOptions, ReadOptions, Store } from "./store.ts";
import type { EncodedChange } from "./write/version.ts";

/** A {@link Store} that can be written to. */
export type WritableStore = Store & {
  /**
   * Makes changes in one transaction: all of them or none.
   *
   * @throws {StoreError} `invalid_record`, `key_of_another_dataset`, `unknown_resource`
   */
  readonly commit: (
    changes: Iterable<Change> | AsyncIterable<Change>,
    options?: CommitOptions,
  ) => Promise<Commit>;
  /** Like `commit`, also of records that `openSqliteEncoder` has encoded for this file. Undefined unless the store is in a SQLite file. */
  readonly commitEncoded?: (changes: AsyncIterable<Change | EncodedChange>) => Promise<Commit>;
  /** Staged changes, and the published builds of each resource. */
  readonly builds: Builds;
  /**
   * Deletes the versions that ended before `time` (milliseconds since 1970) and by the checkpoint `kept`, except those that one of the
   * last `builds` builds of their resource needs. By default `builds` is 3. Returns the number of deleted versions. Earlier checkpoints
   * cannot be read any more.
   */
  readonly prune: (time: number, builds?: number, kept?: number) => Promise<number>;
  /** Returns true if the user of the database may write records. On PostgreSQL, a role of a worker or reader may not. */
  readonly mayWrite: () => Promise<boolean>;
  /** Returns the number of queries that wait for a thread or a connection. */
  readonly waiting: () => number;
  /** Returns how many queries have ended since the store was opened, and the seconds that readers spent on them, by cost class. */
  readonly used: () => Readonly<Record<CostClass, Use>>;
  /** Returns the standbys that the store reads from, with their state. Empty if it has none. */
  readonly replicas: () => readonly ReplicaStatus[];
  /** Texts that the application keeps in the database, by key. */
  readonly notes: {
    readonly get: (key: string) => Promise<string | undefined>;
    readonly set: (key: string, text: string) => Promise<void>;
  };
  /**
   * Returns the database's query plan for a page, one step per line. For a next page it includes closed versions, if there are any.
   *
   * @internal
   */
  readonly explain: (
    query: RestrictedQuery,
    options?: Pick<ReadOptions, "from">,
  ) => Promise<readonly string[]>;
};
