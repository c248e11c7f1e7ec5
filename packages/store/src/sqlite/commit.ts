import type { Database } from "better-sqlite3";
import { StoreError } from "../errors.ts";
import type { Change, Commit } from "../store.ts";
import { type Outcome, Tallies } from "../write/tallies.ts";
import { dropIndexes } from "./bulk.ts";
import { DatasetIds, DatasetNumbers } from "./datasets.ts";
import { gatherStatistics } from "./statistics.ts";
import type { TableWriter } from "./writer.ts";

/** Number of the last commit; 0 before the first. */
export const lastCheckpoint = `select coalesce(max("checkpoint"), 0) from "cadastre_commit"`;

const insertCommit = `insert into "cadastre_commit" ("checkpoint", "committed_at") values (?, ?)`;
const insertTally = `insert into "cadastre_commit_dataset"
  ("checkpoint", "resource", "dataset_id", "written", "removed") values (?, ?, ?, ?, ?)`;

/** Makes commits on the one connection that writes, one after another. */
export class Committer {
  readonly #database: Database;
  readonly #writers: ReadonlyMap<string, TableWriter>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, writers: ReadonlyMap<string, TableWriter>) {
    this.#database = database;
    this.#writers = writers;
  }

  commit(changes: Iterable<Change> | AsyncIterable<Change>): Promise<Commit> {
    return this.alone(() => this.#commit(changes));
  }

  /** Do `work` on the connection while no commit is being made. */
  alone<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #commit(changes: Iterable<Change> | AsyncIterable<Change>): Promise<Commit> {
    const database = this.#database;
    database.exec("begin immediate");
    try {
      const head = database.prepare(lastCheckpoint).pluck().safeIntegers().get() as bigint;
      const commit = new Making(database, this.#writers, head + 1n);
      // The first commit fills empty tables, with all that there is as a rule.
      const makeIndexes = head === 0n ? dropIndexes(database, [...this.#writers.keys()]) : undefined;
      if (Symbol.iterator in changes) for (const change of changes) commit.make(change);
      else for await (const change of changes) commit.make(change);
      makeIndexes?.();
      const { written, unchanged, removed } = commit.counts;
      const changed = written + removed > 0;
      if (changed) this.#note(commit);
      database.exec("commit");
      if (changed) gatherStatistics(database);
      return { checkpoint: Number(changed ? commit.checkpoint : head), written, unchanged, removed };
    } catch (error) {
      if (database.inTransaction) database.exec("rollback");
      throw error;
    }
  }

  #note({ checkpoint, tallies }: Making): void {
    this.#database.prepare(insertCommit).run(checkpoint, Date.now());
    const insert = this.#database.prepare(insertTally);
    for (const { resource, datasetId, written, removed } of tallies.all())
      insert.run(checkpoint, resource, datasetId, written, removed);
  }
}

/** A commit that is being made. */
class Making {
  readonly checkpoint: bigint;
  readonly counts: Record<Outcome, number> = { written: 0, unchanged: 0, removed: 0, absent: 0 };
  readonly tallies = new Tallies();
  readonly numbers: DatasetNumbers;
  readonly ids: DatasetIds;
  readonly #writers: ReadonlyMap<string, TableWriter>;

  constructor(database: Database, writers: ReadonlyMap<string, TableWriter>, checkpoint: bigint) {
    this.numbers = new DatasetNumbers(database);
    this.ids = new DatasetIds(database);
    this.#writers = writers;
    this.checkpoint = checkpoint;
  }

  make(change: Change): void {
    const { resource } = change;
    const writer = this.#writers.get(resource);
    if (writer === undefined) throw new StoreError("unknown_resource", resource);
    const { outcome, datasetId } =
      "removed" in change ? writer.remove(change, this) : writer.put(change, this);
    this.counts[outcome]++;
    if (outcome === "written" || outcome === "removed") this.tallies.add(resource, datasetId, outcome);
  }
}
