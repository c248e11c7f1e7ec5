import { isRecoveryConflict } from "../../database/postgres-faults.ts";
import { StoreError } from "../../errors.ts";
import type { ReplicaState, ReplicaStatus } from "../../read/replica-status.ts";
import type { CostClass } from "../../read/scheduler.ts";
import type { Query } from "../connection/round-trip.ts";
import type { Attempt, ReadingPlace, Run } from "./reading-place.ts";

/** The last checkpoint of a server, and the time of a commit there: of that one, or of one that was asked for. */
export type Head = { readonly checkpoint: number; readonly committedAt: string | null };

/** Requests to a standby, and to the primary about it. Each ends within a few seconds, or fails. */
export type ReplicaChecks = {
  /** Throws `StoreError` unless its schema and cluster are those of the primary. */
  readonly requireSame: () => Promise<void>;
  readonly head: () => Promise<Head & { readonly isStandby: boolean }>;
  /** Returns the last checkpoint of the primary, and the time of its commit `checkpoint`; undefined if it cannot be reached. */
  readonly atPrimary: (checkpoint: number) => Promise<Head | undefined>;
  readonly close: () => Promise<void>;
};

export type ReplicaOptions = {
  readonly name: string;
  readonly place: ReadingPlace;
  readonly checks: ReplicaChecks;
  readonly sizes: Readonly<Record<CostClass, number>>;
  /** Interval between two checks while it is used, in milliseconds. */
  readonly interval: number;
  /** Called when it comes into use or goes out of it. */
  readonly onChange: () => void;
};

/** Longest interval between two checks of a standby that is not used, in milliseconds. */
const longest = 10_000;

/** A standby. It is checked from time to time: while it is used, at a fixed interval, else with a backoff that doubles. */
export class ReadReplica {
  readonly #options: ReplicaOptions;
  #state: ReplicaState = "unreachable";
  /** The last checkpoint that it is known to have. */
  #head = 0;
  #lag: number | undefined;
  #failures = 0;
  /** A head that the primary did not have when it was asked. */
  #unconfirmed: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Number of the read that it was chosen for last. */
  chosen = 0;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  get status(): ReplicaStatus {
    return { name: this.#options.name, state: this.#state, lag: this.#lag };
  }

  get isUsed(): boolean {
    return this.#state === "used";
  }

  /** True if it is known to have a checkpoint, and has a connection that is free. */
  canRead(needed: number, cost: CostClass): boolean {
    const { place, sizes } = this.#options;
    return this.isUsed && this.#head >= needed && place.running[cost] < sizes[cost];
  }

  running(cost: CostClass): number {
    return this.#options.place.running[cost];
  }

  /**
   * Reads from it. Head and rows are read in one snapshot, so that it cannot be behind what is needed.
   *
   * @throws {StoreError} `replica_behind`, and as `ReadingPlace.read` does
   */
  async read<T>(
    work: (run: Run) => Promise<T>,
    needed: number,
    attempt: Omit<Attempt, "opening">,
    onHead: (checkpoint: number) => void,
  ): Promise<T> {
    const guard = headQuery((checkpoint, isStandby) => {
      if (!isStandby) {
        this.takeOut("promoted");
        throw new StoreError("replica_behind");
      }
      if (checkpoint < needed) {
        // Put back from a copy: it has less than it had.
        this.#head = checkpoint;
        throw new StoreError("replica_behind");
      }
      this.#head = Math.max(this.#head, checkpoint);
      onHead(checkpoint);
    });
    return this.#options.place.read(work, { ...attempt, opening: [guard] });
  }

  /** Takes it out of use until a check succeeds. Its reads are stopped, and repeated elsewhere. */
  takeOut(state: Exclude<ReplicaState, "used">): void {
    // Of several reads that fail at once, one takes it out.
    if (!this.isUsed) return;
    this.#state = state;
    this.#failures++;
    this.#options.place.stopAll("replica_behind");
    this.#options.onChange();
    this.#schedule();
  }

  /** Checks it now, and from then on until it is closed. Does not fail. */
  async start(): Promise<void> {
    await this.#check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { place, checks } = this.#options;
    await Promise.all([place.close(), checks.close()]);
  }

  async #check(): Promise<void> {
    clearTimeout(this.#timer);
    const state = await this.#find().catch(stateOf);
    if (this.#isClosed) return;
    // Its replay has canceled the check: nothing is known.
    if (state === undefined) return this.#schedule();
    if (state === "used" && this.isUsed) this.#failures = 0;
    else if (state !== "used" && this.isUsed) this.takeOut(state);
    else {
      this.#state = state;
      if (state === "used") this.#options.onChange();
      else this.#failures++;
    }
    this.#schedule();
  }

  #schedule(): void {
    const { interval } = this.#options;
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const backoff = Math.min(interval * 2 ** Math.min(this.#failures, 16), longest);
    this.#timer = setTimeout(() => void this.#check(), this.isUsed ? interval : backoff);
    this.#timer.unref();
  }

  async #find(): Promise<ReplicaState> {
    const { checks } = this.#options;
    const { checkpoint, committedAt, isStandby } = await checks.head();
    if (!isStandby) return "promoted";
    if (!this.isUsed) await checks.requireSame();
    const primary = await checks.atPrimary(checkpoint);
    if (primary !== undefined) {
      this.#lag = Math.max(0, primary.checkpoint - checkpoint);
      if (checkpoint > 0 && primary.committedAt !== committedAt) {
        // A synchronous standby can show a commit that the primary does not show yet, for a moment.
        const isOld = primary.checkpoint >= checkpoint || this.#unconfirmed === checkpoint;
        this.#unconfirmed = checkpoint;
        return isOld || !this.isUsed ? "diverged" : "used";
      }
    }
    this.#unconfirmed = undefined;
    this.#head = checkpoint;
    return "used";
  }
}

/** Codes of the errors that a standby of another schema or cluster is refused with. */
const schemaCodes: ReadonlySet<string> = new Set([
  "schema_absent",
  "schema_changed",
  "schema_newer",
  "schema_older",
]);

/** SQLSTATEs of unknown names: class 42 (a table, a column) and 3F000 (a schema). */
const absentNames = /^(?:42\w{3}|3F000)$/;

function stateOf(error: unknown): Exclude<ReplicaState, "used"> | undefined {
  if (isRecoveryConflict(error)) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && (schemaCodes.has(code) || absentNames.test(code))
    ? "schema"
    : "unreachable";
}

/** Statement for the last checkpoint of a server. @param take may throw, to refuse the read */
export const headQuery = (take: (checkpoint: number, isStandby: boolean) => void): Query => ({
  text: `select coalesce(max("checkpoint"), 0), pg_is_in_recovery() from "cadastre_commit"`,
  values: [],
  onRow: ([checkpoint, isStandby]) => take(Number(checkpoint), isStandby === "t"),
});
