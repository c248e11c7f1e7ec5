import { identifier, postgres, type SqlFragment, sql } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type { OpenCommit } from "../../build/build-database.ts";
import { updateFollowers } from "../../build/following.ts";
import { restorationOf } from "../../build/restore.ts";
import { withoutRetired } from "../../build/retired-datasets.ts";
import { throwUnavailable } from "../../database/postgres-faults.ts";
import { StoreError } from "../../errors.ts";
import { readStamp } from "../../migration/found.ts";
import type { StoredTable } from "../../schema/table.ts";
import type { Change, Commit } from "../../store.ts";
import { Tallies } from "../../write/tallies.ts";
import type { PendingChange } from "../../write/version.ts";
import { type Client, firstRow, poolOf, postgresSession, runTogether } from "../connection/session.ts";
import { lockCommits, noteCommit, postgresLastCheckpoint } from "../layout/bookkeeping.ts";
import { isOfPostgresDataset, postgresDatasetId } from "../layout/columns.ts";
import type { WriteBatch } from "./write-batch.ts";
import { PostgresTableWriter } from "./writer.ts";

/** Makes commits one after another. Commits of this process are queued; a table lock excludes those of other processes. */
export class PostgresCommitter {
  readonly #knex: Knex;
  readonly #resources: ReadonlyMap<string, StoredTable>;
  readonly #generation: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param generation schema generation that the resources are written for */
  constructor(knex: Knex, resources: ReadonlyMap<string, StoredTable>, generation: number) {
    this.#knex = knex;
    this.#resources = resources;
    this.#generation = generation;
  }

  commit(changes: Iterable<Change> | AsyncIterable<Change>): Promise<Commit> {
    return this.write(async (making) => {
      await making.fill(await withoutRetired(making.session, changes));
      return making.finish();
    });
  }

  /** Runs `work` in a transaction. If it throws, the transaction is rolled back. */
  write<T>(work: (making: CommitTransaction) => Promise<T>): Promise<T> {
    // Commits are queued before they take a connection, so that at most one connection waits for the lock.
    const done = this.#last.then(() =>
      this.#knex.transaction((transaction) => this.#write(transaction, work)).catch(refuseData),
    );
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when the queued commits have ended. */
  idle(): Promise<unknown> {
    return this.#last;
  }

  async #write<T>(
    transaction: Knex.Transaction,
    work: (making: CommitTransaction) => Promise<T>,
  ): Promise<T> {
    await lockCommits(transaction);
    const client = await poolOf(transaction).acquireConnection();
    // Rows written for an earlier schema would lack columns.
    const { generation } = await readStamp(postgresSession(client));
    if (generation !== this.#generation) throw new StoreError("schema_changed");
    const [last] = (await firstRow(client, postgresLastCheckpoint)) ?? [];
    return work(new CommitTransaction(client, this.#resources, BigInt(last ?? 0)));
  }
}

/** An open commit. */
class CommitTransaction implements OpenCommit {
  readonly client: Client;
  readonly session: OpenCommit["session"];
  readonly #checkpoint: bigint;
  readonly #head: bigint;
  readonly #resources: ReadonlyMap<string, StoredTable>;
  readonly #writers = new Map<string, PostgresTableWriter>();
  readonly #tallies = new Tallies();
  #unchanged = 0;
  /** The batch being written by the server, while the next one is prepared. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(client: Client, resources: ReadonlyMap<string, StoredTable>, head: bigint) {
    this.client = client;
    this.session = postgresSession(client);
    this.#resources = resources;
    this.#head = head;
    this.#checkpoint = head + 1n;
  }

  readonly fill: OpenCommit["fill"] = async (changes) => {
    if (Symbol.iterator in changes) for (const change of changes) await this.#make(change);
    else for await (const change of changes) await this.#make(change);
    for (const [resource, writer] of this.#writers) await this.#write(resource, writer, writer.rest());
    await this.#writing;
  };

  readonly restore: OpenCommit["restore"] = async (resource, checkpoint, datasetId) => {
    const { table } = this.#find(resource);
    const isRestored = datasetId === undefined ? undefined : isOfPostgresDataset(datasetId);
    const { write, tally } = restorationOf(
      table,
      postgresDatasetId,
      checkpoint,
      this.#checkpoint,
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
      checkpoint: this.#checkpoint,
      count: (resource, tally) => this.#count(resource, "written", tally),
    });
  };

  readonly finish: OpenCommit["finish"] = async () => {
    const tallies = this.#tallies;
    const [written, removed] = [tallies.sum("written"), tallies.sum("removed")];
    const checkpoint = written + removed > 0 ? this.#checkpoint : this.#head;
    if (checkpoint !== this.#head) {
      await runTogether(this.client, noteCommit(checkpoint, Date.now(), tallies.all()));
      await refreshStatistics(this.client, tallies.byResource());
    }
    return { checkpoint: Number(checkpoint), written, unchanged: this.#unchanged, removed };
  };

  /** Adds a change to the current batch. Returns a promise to wait for if a full batch must be written. */
  #make(change: PendingChange): Promise<void> | undefined {
    const { resource } = change;
    const writer = this.#writerOf(resource);
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
    const statements = writer.statements(batch, this.#checkpoint, (datasetId, outcome, count) => {
      if (outcome === "unchanged") this.#unchanged += count;
      else if (count > 0) this.#tallies.add(resource, datasetId, outcome, count);
    });
    if (statements.length === 0) return;
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

const sizeOf = `select reltuples from pg_class
  where relname = $1::text and relnamespace = current_schema()::regnamespace`;

/**
 * Updates the planner's statistics of a table if at least a fifth of it has changed. The server would do that by itself, but only
 * after the first queries.
 *
 * @param changed number of changes by table
 */
async function refreshStatistics(client: Client, changed: ReadonlyMap<string, number>): Promise<void> {
  for (const [table, changes] of changed) {
    const [rows] = (await firstRow(client, { text: sizeOf, values: [table] })) ?? [];
    if (changes * 5 > Number(rows ?? 0))
      await runTogether(client, [render(sql`analyze ${identifier(table)}`, postgres.placeholder)]);
  }
}
