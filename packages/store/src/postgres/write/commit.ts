import { type SqlFragment, sql } from "@cadastre/odata";
import type { Knex } from "knex";
import type { OpenCommit } from "../../build/build-database.ts";
import { updateFollowers } from "../../build/following.ts";
import { restorationOf } from "../../build/restore.ts";
import { withoutRetired } from "../../build/retired-datasets.ts";
import { throwUnavailable } from "../../database/postgres-faults.ts";
import type { Session } from "../../database/session.ts";
import { StoreError } from "../../errors.ts";
import { readStamp } from "../../migration/found.ts";
import type { StoredTable } from "../../schema/table.ts";
import type { Change, Commit, CommitOptions } from "../../store.ts";
import { Tallies } from "../../write/tallies.ts";
import { type PendingChange, requireOwnDataset } from "../../write/version.ts";
import { type Client, poolOf, postgresSession, runTogether } from "../connection/session.ts";
import { lockCommits, lockCommitsOf } from "../layout/bookkeeping.ts";
import { isOfPostgresDataset, postgresDatasetId } from "../layout/columns.ts";
import { Statistics } from "../statistics.ts";
import { type CommitNumber, numberBesideOthers, numberOfOnlyCommit } from "./commit-number.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { WriteBatch } from "./write-batch.ts";
import { PostgresTableWriter } from "./writer.ts";

/**
 * Makes commits and stages batches: those of different datasets or sources beside each other, all others one after another. Those of this
 * process are queued; locks exclude those of other processes.
 */
export class PostgresCommitter {
  readonly #knex: Knex;
  readonly #resources: ReadonlyMap<string, StoredTable>;
  readonly #generation: number;
  readonly #queue = new CommitQueue();

  /** @param generation schema generation that the resources are written for */
  constructor(knex: Knex, resources: ReadonlyMap<string, StoredTable>, generation: number) {
    this.#knex = knex;
    this.#resources = resources;
    this.#generation = generation;
  }

  commit(
    changes: Iterable<Change> | AsyncIterable<Change>,
    { datasetId }: CommitOptions = {},
  ): Promise<Commit> {
    const make = async (making: CommitTransaction): Promise<Commit> => {
      await making.fill(await withoutRetired(making.session, changes));
      return making.finish();
    };
    if (datasetId === undefined) return this.write(make);
    return this.#transact(JSON.stringify({ dataset: datasetId }), (client) =>
      make(new CommitTransaction(client, this.#resources, numberBesideOthers(client), datasetId)),
    );
  }

  /** See `BuildDatabase.stage`. */
  stage<T>(resource: string, source: string, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#transact(JSON.stringify({ resource, source }), async (client) => {
      const session = postgresSession(client);
      // Staged changes have no statistics yet: without this, the planner would read all of them for each batch of keys.
      await session.rows(sql`set local enable_seqscan = off`);
      return work(session);
    });
  }

  /** Runs `work` in a transaction while no other commit is open. If it throws, the transaction is rolled back. */
  write<T>(work: (making: CommitTransaction) => Promise<T>): Promise<T> {
    return this.#transact(undefined, async (client) =>
      work(new CommitTransaction(client, this.#resources, await numberOfOnlyCommit(client), undefined)),
    );
  }

  /** Resolves when the queued commits have ended. */
  idle(): Promise<unknown> {
    return this.#queue.idle();
  }

  /** @param owner what the transaction writes for, see `lockCommitsOf`; undefined for one that runs alone */
  #transact<T>(owner: string | undefined, work: (client: Client) => Promise<T>): Promise<T> {
    // Commits are queued before they take a connection, so that few connections wait for locks.
    return this.#queue.add(owner, () =>
      this.#knex
        .transaction(
          async (transaction) => {
            await (owner === undefined ? lockCommits(transaction) : lockCommitsOf(transaction, owner));
            const client = await poolOf(transaction).acquireConnection();
            // Rows written for an earlier schema would lack columns.
            const { generation } = await readStamp(postgresSession(client));
            if (generation !== this.#generation) throw new StoreError("schema_changed");
            return work(client);
          },
          // A statement must see the commits that those before it have waited for, whatever the role's default is.
          { isolationLevel: "read committed" },
        )
        .catch(refuseData),
    );
  }
}

/** An open commit. */
class CommitTransaction implements OpenCommit {
  readonly client: Client;
  readonly session: OpenCommit["session"];
  readonly #number: CommitNumber;
  readonly #datasetId: string | undefined;
  readonly #resources: ReadonlyMap<string, StoredTable>;
  readonly #writers = new Map<string, PostgresTableWriter>();
  readonly #tallies = new Tallies();
  readonly #statistics: Statistics;
  #unchanged = 0;
  /** The batch being written by the server, while the next one is prepared. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @param datasetId the dataset of all changes; undefined for a commit that is open alone */
  constructor(
    client: Client,
    resources: ReadonlyMap<string, StoredTable>,
    number: CommitNumber,
    datasetId: string | undefined,
  ) {
    this.client = client;
    this.session = postgresSession(client);
    this.#statistics = new Statistics(this.session);
    this.#resources = resources;
    this.#number = number;
    this.#datasetId = datasetId;
  }

  readonly fill: OpenCommit["fill"] = async (changes) => {
    if (Symbol.iterator in changes) for (const change of changes) await this.#make(change);
    else for await (const change of changes) await this.#make(change);
    for (const [resource, writer] of this.#writers) await this.#write(resource, writer, writer.endBatch());
    await this.#writing;
  };

  readonly restore: OpenCommit["restore"] = async (resource, checkpoint, datasetId) => {
    const { table } = this.#find(resource);
    const isRestored = datasetId === undefined ? undefined : isOfPostgresDataset(datasetId);
    const { write, tally } = restorationOf(
      table,
      postgresDatasetId,
      checkpoint,
      await this.#number.take(),
      isRestored,
    );
    for (const statement of write) await this.session.rows(statement);
    return {
      written: await this.#count(resource, "written", tally.written),
      removed: await this.#count(resource, "removed", tally.removed),
    };
  };

  readonly updateFollowers: OpenCommit["updateFollowers"] = async () => {
    const tables = [...this.#resources.values()].map(({ table }) => table);
    await updateFollowers({
      session: this.session,
      tables,
      changed: this.#tallies.byResource(),
      dataset: postgresDatasetId,
      checkpoint: await this.#number.take(),
      count: (resource, tally) => this.#count(resource, "written", tally),
    });
  };

  readonly finish: OpenCommit["finish"] = async () => {
    const tallies = this.#tallies;
    const [written, removed] = [tallies.sum("written"), tallies.sum("removed")];
    const checkpoint = await (written + removed > 0 ? this.#record() : this.#number.giveUp());
    return { checkpoint: Number(checkpoint), written, unchanged: this.#unchanged, removed };
  };

  async #record(): Promise<bigint> {
    const checkpoint = await this.#number.take();
    const hadOthers = await this.#number.record(this.#tallies.all());
    if (hadOthers)
      for (const writer of this.#writers.values()) await this.#requireOwnKeys(writer, checkpoint);
    await this.#statistics.finish(this.#tallies);
    return checkpoint;
  }

  /** Refuses keys that a commit of another dataset has taken since they were looked for. */
  async #requireOwnKeys(writer: PostgresTableWriter, checkpoint: bigint): Promise<void> {
    if (this.#datasetId !== undefined)
      await runTogether(this.client, [writer.takenKeysQuery(this.#datasetId, checkpoint)]);
  }

  /** Adds a change to the current batch. Returns a promise to wait for if a full batch must be written. */
  #make(change: PendingChange): Promise<void> | undefined {
    const { resource } = change;
    const writer = this.#writerOf(resource);
    if (this.#datasetId !== undefined) requireOwnDataset(change, this.#datasetId, this.#find(resource).table);
    const full = writer.take(change);
    return full === undefined ? undefined : this.#write(resource, writer, full);
  }

  #writerOf(resource: string): PostgresTableWriter {
    const known = this.#writers.get(resource);
    if (known !== undefined) return known;
    const writer = new PostgresTableWriter(this.#find(resource));
    this.#writers.set(resource, writer);
    return writer;
  }

  #find(resource: string): StoredTable {
    const stored = this.#resources.get(resource);
    if (stored === undefined) throw new StoreError("unknown_resource", resource);
    return stored;
  }

  async #count(resource: string, outcome: "written" | "removed", statement: SqlFragment): Promise<number> {
    let sum = 0;
    for (const [datasetId, count] of await this.session.rows(statement)) {
      this.#tallies.add(resource, datasetId as string | null, outcome, Number(count));
      sum += Number(count);
    }
    return sum;
  }

  async #write(resource: string, writer: PostgresTableWriter, batch: WriteBatch): Promise<void> {
    await this.#writing;
    if (batch.datasets.size === 0) return;
    await this.#statistics.keepUp(this.#tallies);
    const statements = writer.statements(batch, await this.#number.take(), (datasetId, outcome, count) => {
      if (outcome === "unchanged") this.#unchanged += count;
      else if (count > 0) this.#tallies.add(resource, datasetId, outcome, count);
    });
    this.#writing = runTogether(this.client, statements);
    // Prevents an unhandled rejection. The error is thrown to the next one who awaits the promise.
    this.#writing.catch(() => {});
  }
}

/** SQLSTATE classes of errors in the data: a value is not valid, or an index entry is too long. */
const dataErrors = /^(22|54)/;

/** SQLSTATE of a row that no partition takes: tables have no other checks. */
const checkViolation = "23514";

function refuseData(error: unknown): never {
  if (error instanceof Error && "code" in error) {
    if (dataErrors.test(String(error.code))) throw new StoreError("invalid_record", error.message);
    if (error.code === checkViolation) throw new StoreError("no_partition", undefined, { cause: error });
  }
  return throwUnavailable(error);
}
