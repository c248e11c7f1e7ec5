import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import type { Change, Commit } from "../store.ts";
import { Tallies } from "../write/tallies.ts";
import { lastCheckpoint, lockCommits, noteCommit } from "./bookkeeping.ts";
import { type Client, firstRow, poolOf, runTogether } from "./session.ts";
import { refreshStatistics } from "./statistics.ts";
import type { Resource, WriteBatch } from "./write-batch.ts";
import { TableWriter } from "./writer.ts";

/** Makes commits, one after another: those of this process, and by a lock those of all of them. */
export class Committer {
  readonly #knex: Knex;
  readonly #resources: ReadonlyMap<string, Resource>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(knex: Knex, resources: ReadonlyMap<string, Resource>) {
    this.#knex = knex;
    this.#resources = resources;
  }

  commit(changes: Iterable<Change> | AsyncIterable<Change>): Promise<Commit> {
    // One connection at the most waits for the lock.
    const done = this.#last.then(() =>
      this.#knex.transaction((transaction) => this.#commit(transaction, changes)).catch(refuseData),
    );
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when no commit is being made. */
  idle(): Promise<unknown> {
    return this.#last;
  }

  async #commit(
    transaction: Knex.Transaction,
    changes: Iterable<Change> | AsyncIterable<Change>,
  ): Promise<Commit> {
    await lockCommits(transaction);
    const client = await poolOf(transaction).acquireConnection();
    const [last] = (await firstRow(client, lastCheckpoint)) ?? [];
    const head = BigInt(last ?? 0);
    const making = new Making(client, this.#resources, head + 1n);
    if (Symbol.iterator in changes) for (const change of changes) await making.make(change);
    else for await (const change of changes) await making.make(change);
    const { tallies, unchanged } = await making.finish();
    const [written, removed] = [tallies.sum("written"), tallies.sum("removed")];
    const checkpoint = written + removed > 0 ? making.checkpoint : head;
    if (checkpoint !== head) {
      await runTogether(client, noteCommit(checkpoint, Date.now(), tallies.all()));
      await refreshStatistics(client, tallies.byResource());
    }
    return { checkpoint: Number(checkpoint), written, unchanged, removed };
  }
}

/** A commit that is being made. */
class Making {
  readonly checkpoint: bigint;
  readonly #client: Client;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #writers = new Map<string, TableWriter>();
  readonly #tallies = new Tallies();
  #unchanged = 0;
  /** The batch that the server works at, while the next one is put together. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(client: Client, resources: ReadonlyMap<string, Resource>, checkpoint: bigint) {
    this.#client = client;
    this.#resources = resources;
    this.checkpoint = checkpoint;
  }

  /** Gives a promise when it is time to wait. */
  make(change: Change): Promise<void> | undefined {
    const { resource } = change;
    const writer = this.#writerOf(resource);
    const full = writer.take(change);
    return full === undefined ? undefined : this.#write(resource, writer, full);
  }

  async finish(): Promise<{ readonly tallies: Tallies; readonly unchanged: number }> {
    for (const [resource, writer] of this.#writers) await this.#write(resource, writer, writer.rest());
    await this.#writing;
    return { tallies: this.#tallies, unchanged: this.#unchanged };
  }

  #writerOf(resource: string): TableWriter {
    const known = this.#writers.get(resource);
    if (known !== undefined) return known;
    const stored = this.#resources.get(resource);
    if (stored === undefined) throw new StoreError("unknown_resource", resource);
    const writer = new TableWriter(stored);
    this.#writers.set(resource, writer);
    return writer;
  }

  async #write(resource: string, writer: TableWriter, batch: WriteBatch): Promise<void> {
    await this.#writing;
    const statements = writer.statements(batch, this.checkpoint, (datasetId, outcome, count) => {
      if (outcome === "unchanged") this.#unchanged += count;
      else this.#tallies.add(resource, datasetId, outcome, count);
    });
    if (statements.length === 0) return;
    this.#writing = runTogether(this.#client, statements);
    // Whoever waits for it next meets the error.
    this.#writing.catch(() => {});
  }
}

/** Errors of the server by class: the data cannot be held, or an index entry is too long. */
const dataErrors = /^(22|54)/;

function refuseData(error: unknown): never {
  if (error instanceof Error && "code" in error && dataErrors.test(String(error.code)))
    throw new StoreError("invalid_record", error.message);
  throw error;
}
