import type { SqlFragment } from "@cadastre/odata";
import type { Database } from "better-sqlite3";
import type { OpenCommit } from "../../build/build-database.ts";
import { updateFollowers } from "../../build/following.ts";
import { restorationOf } from "../../build/restore.ts";
import { withoutRetired } from "../../build/retired-datasets.ts";
import { quoted } from "../../checksum/quoted.ts";
import { type CountedRows, suspendChecksums } from "../../checksum/suspended.ts";
import { retryWhileBusy } from "../../database/retry-while-busy.ts";
import { StoreError } from "../../errors.ts";
import { readStamp } from "../../migration/found.ts";
import type { ReadableTable } from "../../read/compile.ts";
import { type TableSchema, validity } from "../../schema/table.ts";
import type { Change, Commit, CommitOptions } from "../../store.ts";
import { type ChangeOutcome, Tallies } from "../../write/tallies.ts";
import { type EncodedChange, type PendingChange, requireOwnDataset } from "../../write/version.ts";
import { sqliteLastCheckpoint } from "../layout/bookkeeping.ts";
import { DatasetIds, DatasetNumbers, datasetId, isOfSqliteDataset } from "../layout/datasets.ts";
import { gatherStatistics } from "../layout/statistics.ts";
import { sqliteSession } from "../session.ts";
import { SqliteTableWriter } from "./writer.ts";

const insertCommit = `insert into "cadastre_commit" ("checkpoint", "committed_at") values (?, ?)`;
const insertTally = `insert into "cadastre_commit_dataset"
  ("checkpoint", "resource", "dataset_id", "written", "removed") values (?, ?, ?, ?, ?)`;

/** Waits up to a minute for the write lock, because another process may be publishing. */
const attempt = retryWhileBusy(60_000);

/** Makes commits one after another, on the only connection that writes. */
export class SqliteCommitter {
  readonly #database: Database;
  readonly #stored: ReadonlyMap<string, ReadableTable>;
  readonly #generation: number;
  /** Made by the first commit: most stores are opened to read, and hundreds of statements are prepared for them. */
  #writers: ReadonlyMap<string, SqliteTableWriter> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param generation schema generation of the tables */
  constructor(database: Database, stored: ReadonlyMap<string, ReadableTable>, generation: number) {
    this.#database = database;
    this.#stored = stored;
    this.#generation = generation;
  }

  commit(
    changes: Iterable<Change | EncodedChange> | AsyncIterable<Change | EncodedChange>,
    { datasetId }: CommitOptions = {},
  ): Promise<Commit> {
    return this.write(async (making) => {
      await making.fill(await withoutRetired(making.session, changes));
      return making.finish();
    }, datasetId);
  }

  /**
   * Runs `work` in a transaction. If it throws, the transaction is rolled back.
   *
   * @param datasetId the dataset of all changes; by default they may be of several
   */
  write<T>(work: (making: Making) => Promise<T>, datasetId?: string): Promise<T> {
    return this.#inTurn(() => this.#write(work, datasetId));
  }

  /** Runs `work` on the connection while no commit is open. `work` may use at most one transaction. */
  alone<T>(work: () => T): Promise<T> {
    return this.#inTurn(() => attempt(async () => work()));
  }

  #createWriters(): ReadonlyMap<string, SqliteTableWriter> {
    const writers = [...this.#stored.values()].map(
      ({ table, members }) => [table.name, new SqliteTableWriter(this.#database, table, members)] as const,
    );
    return new Map(writers);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #write<T>(work: (making: Making) => Promise<T>, datasetId: string | undefined): Promise<T> {
    const database = this.#database;
    await attempt(async () => database.exec("begin immediate"));
    try {
      // Rows written for an earlier schema would lack columns.
      const { generation } = await readStamp(sqliteSession(database));
      if (generation !== this.#generation) throw new StoreError("schema_changed");
      this.#writers ??= this.#createWriters();
      const making = new Making(database, this.#writers, datasetId);
      const done = await work(making);
      database.exec("commit");
      if (making.hasChanged) await attempt(async () => gatherStatistics(database));
      return done;
    } catch (error) {
      if (database.inTransaction) database.exec("rollback");
      throw error;
    }
  }
}

/** An open commit. */
class Making implements OpenCommit {
  readonly session: OpenCommit["session"];
  readonly checkpoint: bigint;
  readonly numbers: DatasetNumbers;
  readonly ids: DatasetIds;
  readonly #database: Database;
  readonly #writers: ReadonlyMap<string, SqliteTableWriter>;
  readonly #head: bigint;
  readonly #datasetId: string | undefined;
  readonly #counts: Record<ChangeOutcome, number> = { written: 0, unchanged: 0, removed: 0, absent: 0 };
  readonly #tallies = new Tallies();

  constructor(
    database: Database,
    writers: ReadonlyMap<string, SqliteTableWriter>,
    datasetId: string | undefined,
  ) {
    this.#database = database;
    this.#datasetId = datasetId;
    this.#writers = writers;
    this.#head = database.prepare(sqliteLastCheckpoint).pluck().safeIntegers().get() as bigint;
    this.session = sqliteSession(database);
    this.checkpoint = this.#head + 1n;
    this.numbers = new DatasetNumbers(database);
    this.ids = new DatasetIds(database);
  }

  get hasChanged(): boolean {
    return this.#counts.written + this.#counts.removed > 0;
  }

  readonly fill = async (
    changes: Iterable<PendingChange | EncodedChange> | AsyncIterable<PendingChange | EncodedChange>,
  ): Promise<void> => {
    // The first commit usually loads all data into empty tables, so indexes are created after it.
    const makeIndexes =
      this.#head === 0n ? dropIndexes(this.#database, [...this.#writers.keys()]) : undefined;
    const triggers = new TriggersOfCommit(this.#database, this.#writers, this.checkpoint);
    const make = (change: PendingChange | EncodedChange) => {
      triggers.beforeChange();
      this.#make(change);
    };
    if (Symbol.iterator in changes) for (const change of changes) make(change);
    else for await (const change of changes) make(change);
    triggers.end();
    makeIndexes?.();
  };

  readonly restore: OpenCommit["restore"] = async (resource, checkpoint, dataset) => {
    const writer = this.#writerOf(resource);
    const isRestored = dataset === undefined ? undefined : isOfSqliteDataset(dataset);
    const { write, tally } = restorationOf(writer.table, datasetId, checkpoint, this.checkpoint, isRestored);
    await writer.restore(
      async () => {
        for (const statement of write) await this.session.rows(statement);
      },
      checkpoint,
      isRestored,
    );
    return {
      written: await this.#count(resource, "written", tally.written),
      removed: await this.#count(resource, "removed", tally.removed),
    };
  };

  readonly updateFollowers: OpenCommit["updateFollowers"] = async () => {
    const tables = [...this.#writers.values()].map(({ table }) => table);
    await updateFollowers({
      session: this.session,
      tables,
      changed: this.#tallies.byResource(),
      dataset: datasetId,
      checkpoint: this.checkpoint,
      count: (resource, tally) => this.#count(resource, "written", tally),
    });
  };

  readonly finish: OpenCommit["finish"] = async () => {
    const { written, unchanged, removed } = this.#counts;
    if (this.hasChanged) {
      this.#database.prepare(insertCommit).run(this.checkpoint, Date.now());
      const insert = this.#database.prepare(insertTally);
      for (const tally of this.#tallies.all())
        insert.run(this.checkpoint, tally.resource, tally.datasetId, tally.written, tally.removed);
    }
    const checkpoint = Number(this.hasChanged ? this.checkpoint : this.#head);
    return { checkpoint, written, unchanged, removed };
  };

  #make(change: PendingChange | EncodedChange): void {
    const { resource } = change;
    const writer = this.#writerOf(resource);
    if (this.#datasetId !== undefined) requireOwnDataset(change, this.#datasetId, writer.table);
    const { outcome, datasetId } =
      "record" in change || "version" in change ? writer.put(change, this) : writer.remove(change, this);
    this.#counts[outcome]++;
    if (outcome === "written" || outcome === "removed") this.#tallies.add(resource, datasetId, outcome);
  }

  #writerOf(resource: string): SqliteTableWriter {
    const writer = this.#writers.get(resource);
    if (writer === undefined) throw new StoreError("unknown_resource", resource);
    return writer;
  }

  async #count(resource: string, outcome: "written" | "removed", statement: SqlFragment): Promise<number> {
    let sum = 0;
    for (const [datasetId, count] of await this.session.rows(statement)) {
      this.#tallies.add(resource, datasetId as string | null, outcome, Number(count));
      sum += Number(count);
    }
    this.#counts[outcome] += sum;
    return sum;
  }
}

/** Number of changes from which on a commit does without the triggers of its tables. */
const manyChanges = 500;

/** Suspends the triggers that keep checksums while a commit makes many changes. */
class TriggersOfCommit {
  readonly #suspend: () => (() => void) | undefined;
  #changes = 0;
  #resume: (() => void) | undefined;

  constructor(database: Database, writers: ReadonlyMap<string, SqliteTableWriter>, checkpoint: bigint) {
    const counted = [...writers.values()].flatMap(({ table }) => rowsOfCommit(table));
    this.#suspend = () => suspendChecksums(database, counted, checkpoint);
  }

  beforeChange(): void {
    this.#changes += 1;
    if (this.#changes === manyChanges) this.#resume = this.#suspend();
  }

  end(): void {
    this.#resume?.();
  }
}

/** Returns the rows that a commit writes: versions that begin with it, and versions that it ends, which lie in another table afterwards. */
function rowsOfCommit({ name, closed }: TableSchema): readonly CountedRows[] {
  const begins = `(${quoted(validity.from.name)} + 0) = ?`;
  const ends = `${quoted(validity.to.name)} = ?`;
  return [
    { name, sign: 1n, lieIn: name, condition: begins },
    { name, sign: -1n, lieIn: closed, condition: ends },
    { name: closed, sign: 1n, lieIn: closed, condition: ends },
  ];
}

/** Selects the indexes created by a statement. The automatic indexes of keys have no SQL text. */
const selectIndexes = `select "name", "sql" from "sqlite_schema" where "type" = 'index' and "sql" is not null`;

/**
 * Drops the indexes of tables within the current transaction. Returns a function that creates them again: building an index over
 * existing rows is several times as fast as inserting row by row, and its pages are contiguous in the file.
 */
function dropIndexes(database: Database, tables: readonly string[]): () => void {
  const places = tables.map(() => "?").join(", ");
  const found = database.prepare(`${selectIndexes} and "tbl_name" in (${places})`).all(...tables);
  const indexes = found as readonly { readonly name: string; readonly sql: string }[];
  for (const { name } of indexes) database.exec(`drop index ${quoted(name)}`);
  return () => {
    for (const { sql } of indexes) database.exec(sql);
  };
}
