import type { Knex } from "knex";
import { type Int64Column, int64ToNumber } from "./int64-column.ts";

/** Result counts of a feed's last run. */
export type FeedCounts = {
  readonly read: number;
  readonly staged: number;
  readonly rejected: number;
};

/** A feed: where records come from, and how its runs went. Times are in milliseconds since 1970. */
export type FeedRecord = {
  readonly name: string;
  /** JSON text without secrets. The registry does not interpret it. */
  readonly definition: string;
  readonly created: number;
  readonly paused: boolean;
  /** Time of the next run. */
  readonly due: number;
  /** Time until which a worker has the feed; 0 if none has it. */
  readonly leased: number;
  /** Process that has the feed, or had it last. */
  readonly worker: string | null;
  /** Failed runs since the last success. */
  readonly failures: number;
  readonly lastStart: number | null;
  readonly lastEnd: number | null;
  readonly lastSuccess: number | null;
  readonly lastError: string | null;
  readonly counts: FeedCounts;
  /** Newest `ModificationTimestamp` that was read. */
  readonly modified: number | null;
  /** JSON text of the progress within the source, such as the files that were read. */
  readonly progress: string | null;
};

/** A leased feed. `round` is the fencing token: what an earlier lease writes is ignored. */
export type FeedLease = { readonly feed: FeedRecord; readonly round: number };

/** Result of a run. */
export type FeedOutcome = {
  readonly at: number;
  /** Time of the next run. */
  readonly due: number;
  /** Null: the run succeeded. */
  readonly error: string | null;
  readonly counts: FeedCounts;
  /** Newest `ModificationTimestamp` that was read. Null: none, and the one before is kept. */
  readonly modified: number | null;
};

/** The feeds of a service. Every method throws {@link StoreError} `registry_unavailable`. */
export type FeedRegistry = {
  /** Adds a feed that is due at `at`. Returns false if one of this name exists. */
  readonly add: (name: string, definition: string, at: number) => Promise<boolean>;
  /** Replaces a definition, and makes the feed due at `at`. Returns false if there is no such feed. */
  readonly change: (name: string, definition: string, at: number) => Promise<boolean>;
  /** Removes a feed. A run in progress loses its lease. Returns false if there is no such feed. */
  readonly remove: (name: string) => Promise<boolean>;
  /** Pauses or resumes a feed. A resumed feed is due at `at`. Returns false if there is no such feed. */
  readonly pause: (name: string, isPaused: boolean, at: number) => Promise<boolean>;
  readonly find: (name: string) => Promise<FeedRecord | undefined>;
  /** All feeds, ordered by name. */
  readonly list: () => Promise<readonly FeedRecord[]>;
  /**
   * Leases the feed that has waited longest among those that are due, not paused and not leased. With a name: that feed, due or not.
   * Undefined if there is none.
   */
  readonly claim: (at: number, terms: FeedClaimTerms) => Promise<FeedLease | undefined>;
  /** Extends a lease until `until`. Returns false if it is void. */
  readonly renew: (lease: FeedLease, until: number) => Promise<boolean>;
  /** Records the progress of a run. Returns false if the lease is void. */
  readonly advance: (lease: FeedLease, progress: string) => Promise<boolean>;
  /** Records the result of a run and ends the lease. Returns false if the lease is void. */
  readonly settle: (lease: FeedLease, outcome: FeedOutcome) => Promise<boolean>;
  /** Ends the lease of an interrupted run, which is due again at `at`. Returns false if the lease is void. */
  readonly release: (lease: FeedLease, at: number) => Promise<boolean>;
};

type FeedClaimTerms = {
  readonly worker: string;
  /** Duration of the lease in milliseconds. */
  readonly lease: number;
  readonly name?: string | undefined;
  /** Names of feeds that are not leased. */
  readonly except?: readonly string[] | undefined;
};

type FeedRow = {
  readonly name: string;
  readonly definition: string;
  readonly created: Int64Column;
  readonly state: "active" | "paused";
  readonly due: Int64Column;
  readonly leased: Int64Column;
  readonly round: Int64Column;
  readonly worker: string | null;
  readonly failures: number;
  readonly last_start: Int64Column | null;
  readonly last_end: Int64Column | null;
  readonly last_success: Int64Column | null;
  readonly last_error: string | null;
  readonly records_read: Int64Column;
  readonly records_staged: Int64Column;
  readonly records_rejected: Int64Column;
  readonly modified: Int64Column | null;
  readonly progress: string | null;
};

const feedTable = (knex: Knex) => knex<FeedRow>("cadastre_feed");

/** Longest error text that is kept, in characters. */
const longestError = 1000;

/** Creates the feed registry of a registry database. */
export function createFeedRegistry(knex: Knex): FeedRegistry {
  const ofLease = ({ feed: { name }, round }: FeedLease) => feedTable(knex).where({ name, round });
  const change = async (name: string, values: Partial<FeedRow>) =>
    (await feedTable(knex).where({ name }).update(values)) === 1;
  return {
    add: async (name, definition, at) => {
      const added = await feedTable(knex)
        .insert({ ...newRow, name, definition, created: at, due: at })
        .onConflict("name")
        .ignore()
        .returning("name");
      return added.length === 1;
    },
    change: (name, definition, at) => change(name, { definition, due: at }),
    remove: async (name) => (await feedTable(knex).where({ name }).delete()) === 1,
    pause: (name, isPaused, at) =>
      change(name, isPaused ? { state: "paused" } : { state: "active", due: at }),
    find: async (name) => {
      const row = await feedTable(knex).where({ name }).first();
      return row && toFeed(row);
    },
    list: async () => {
      const rows: readonly FeedRow[] = await feedTable(knex).orderBy("name");
      return rows.map(toFeed);
    },
    claim: async (at, { worker, lease, name, except = [] }) => {
      const free = feedTable(knex).where("leased", "<=", at).whereNotIn("name", except);
      const wanted =
        name === undefined
          ? free.andWhere("due", "<=", at).andWhere({ state: "active" })
          : free.andWhere({ name });
      const first = await wanted.orderBy(["due", "name"]).first("name", "round");
      if (first === undefined) return undefined;
      const { round } = first;
      // Another process may have leased it since: then the round is another.
      const [row] = await feedTable(knex)
        .where({ name: first.name, round })
        .update({ leased: at + lease, round: Number(round) + 1, worker, last_start: at })
        .returning("*");
      return row && { feed: toFeed(row), round: Number(row.round) };
    },
    renew: async (lease, until) => (await ofLease(lease).update({ leased: until })) === 1,
    advance: async (lease, progress) => (await ofLease(lease).update({ progress })) === 1,
    settle: async (lease, { at, due, error, counts, modified }) =>
      (await ofLease(lease).update({
        leased: 0,
        // The next round, so that the lease is void.
        round: lease.round + 1,
        // Whoever changed the definition during the run has made the feed due.
        due: knex.raw("case when ?? = ? then ? else ?? end", ["due", lease.feed.due, due, "due"]),
        failures: error === null ? 0 : knex.raw("?? + 1", ["failures"]),
        last_end: at,
        last_error: error === null ? null : error.slice(0, longestError),
        records_read: counts.read,
        records_staged: counts.staged,
        records_rejected: counts.rejected,
        ...(error === null ? { last_success: at } : {}),
        ...(modified === null ? {} : { modified }),
      })) === 1,
    release: async (lease, at) =>
      (await ofLease(lease).update({ leased: 0, round: lease.round + 1, due: at, last_end: at })) === 1,
  };
}

const newRow = {
  state: "active",
  leased: 0,
  round: 0,
  worker: null,
  failures: 0,
  last_start: null,
  last_end: null,
  last_success: null,
  last_error: null,
  records_read: 0,
  records_staged: 0,
  records_rejected: 0,
  modified: null,
  progress: null,
} as const satisfies Partial<FeedRow>;

const toFeed = (row: FeedRow): FeedRecord => ({
  name: row.name,
  definition: row.definition,
  created: Number(row.created),
  paused: row.state === "paused",
  due: Number(row.due),
  leased: Number(row.leased),
  worker: row.worker,
  failures: row.failures,
  lastStart: int64ToNumber(row.last_start),
  lastEnd: int64ToNumber(row.last_end),
  lastSuccess: int64ToNumber(row.last_success),
  lastError: row.last_error,
  counts: {
    read: Number(row.records_read),
    staged: Number(row.records_staged),
    rejected: Number(row.records_rejected),
  },
  modified: int64ToNumber(row.modified),
  progress: row.progress,
});
