import type { RestrictedQuery } from "@cadastre/entitlement";
import type { BoundQuery, CompiledSql } from "@cadastre/odata";
import type { Knex } from "knex";
import type { Builds } from "../build/build.ts";
import type { BuildDatabase, CandidateReads } from "../build/build-database.ts";
import { createBuilds } from "../build/builds.ts";
import { createCoverages, type ReadCoverage } from "../coverage/coverages.ts";
import { createConnectionPool, writeSettings } from "../database/postgres-connections.ts";
import { throwUnavailable } from "../database/postgres-faults.ts";
import { StoreError } from "../errors.ts";
import { compileAppliedCount, compileAppliedRows, toAppliedPage } from "../read/applied.ts";
import { compileCells, currentCells } from "../read/cells.ts";
import { compileCountRequest, compileOrderValues } from "../read/compile.ts";
import { firstOf, withPosition } from "../read/current-compiler.ts";
import { type QueryLimits, shareOf, unlimitedShare } from "../read/customer-share.ts";
import { type AnswerParts, expectedCost } from "../read/expected-cost.ts";
import { KeptCounts } from "../read/kept-counts.ts";
import { PageRequests } from "../read/page-requests.ts";
import { untimed } from "../read/read-stages.ts";
import { pageStatements, toPage, toRecord } from "../read/request.ts";
import type { CostClass, QueryScheduler, Use } from "../read/scheduler.ts";
import { pastOf } from "../read/versions.ts";
import { tableOf } from "../schema/table.ts";
import type { Bookmark, Page, ReadOptions } from "../store.ts";
import type { WritableStore } from "../writable-store.ts";
import type { Query } from "./connection/round-trip.ts";
import { type Client, onConnection, runTogether } from "./connection/session.ts";
import {
  compilePostgresHistory,
  lockPostgresStaged,
  mayCommit,
  readPostgresNote,
  writePostgresNote,
} from "./layout/bookkeeping.ts";
import { columnEncoding, isOfPostgresDataset, postgresDatasetId, postgresSha256 } from "./layout/columns.ts";
import { migratePostgres } from "./migrate.ts";
import { type Opened, openReaders, type Reading } from "./open-readers.ts";
import { reachingBuilds, reachingCoverage } from "./reached-checkpoints.ts";
import { readComputedValue } from "./read/page-rows.ts";
import { readPostgresChanges } from "./read/read-changes.ts";
import { createPostgresTable, type PostgresTable } from "./read/readable-table.ts";
import {
  findClosed,
  findStart,
  type PageAndCount,
  readApplied,
  readAsOf,
  readCells,
  readCommitTime,
  readCount,
  readCurrent,
  readLatest,
  readStateAt,
} from "./read/reader.ts";
import { needsOf, type PostgresReaders } from "./read/reader-pool.ts";
import type { Run } from "./read/reading-place.ts";
import { writeInSteps } from "./read/write-in-steps.ts";
import { otherConnections, type PostgresStoreOptions, readingConnections } from "./store-options.ts";
import { buildWall } from "./wall/build.ts";
import { runWithin } from "./wall/scope.ts";
import { PostgresCommitter } from "./write/commit.ts";
import { emptyTable } from "./write/empty-table.ts";
import { prunePostgres } from "./write/prune.ts";

/**
 * Opens a store, and migrates its schema if needed.
 *
 * @throws {StoreError} `schema_newer`, `schema_older`, `schema_unsupported`
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<WritableStore> {
  const {
    connection,
    resources,
    schema = "cadastre",
    timeout = 10_000,
    statements,
    wall,
    replicas,
  } = options;
  const sizes = readingConnections(options);
  const target = { connection, schemas: [schema] };
  const knex = createConnectionPool(target, {
    connections: otherConnections,
    wait: timeout,
    settings: writeSettings,
    statements,
    server: replicas === undefined ? "any" : "primary",
  });
  try {
    const migrated = await migratePostgres(knex, schema, resources, options);
    const stored = new Map<string, PostgresTable>();
    for (const table of migrated.resources.map(tableOf)) {
      const members = migrated.members.get(table.name) ?? new Map();
      stored.set(table.name, createPostgresTable({ table, members }));
    }
    if (wall !== undefined) await buildWall(knex, schema, resources, wall);
    const opened = { knex, stored, generation: migrated.generation };
    const reading = await openReaders({ ...options, schema, timeout, sizes }, opened);
    return new PostgresStore({ ...options, ...opened, ...reading, timeout });
  } catch (error) {
    await knex.destroy();
    throw error;
  }
}

/** Time after which a server is taken for lost that has not answered a read of builds or coverage, in milliseconds. */
const shortRead = 30_000;

type Settled = Pick<PostgresStoreOptions, "limits" | "wall"> &
  Opened &
  Reading & {
    readonly timeout: number;
  };

/** A store whose reads and commits have pools of their own. */
class PostgresStore implements WritableStore {
  readonly #knex: Knex;
  readonly #stored: ReadonlyMap<string, PostgresTable>;
  readonly #committer: PostgresCommitter;
  readonly #limits: QueryLimits | undefined;
  readonly #scheduler: QueryScheduler;
  readonly #readers: PostgresReaders;
  readonly #replicas: Reading["replicas"];
  readonly #pageRequests = new PageRequests();
  readonly #keptCounts = new KeptCounts();
  readonly #isWalled: boolean;

  constructor({ knex, stored, generation, scheduler, readers, replicas, timeout, limits, wall }: Settled) {
    this.#knex = knex;
    this.#stored = stored;
    this.#committer = new PostgresCommitter(knex, stored, generation);
    this.#isWalled = wall !== undefined;
    this.#limits = limits;
    this.#scheduler = scheduler;
    this.#readers = readers;
    this.#replicas = replicas;
    const database: BuildDatabase = {
      tables: stored,
      formOf: columnEncoding,
      datasetId: postgresDatasetId,
      isOfDataset: isOfPostgresDataset,
      sha256: postgresSha256,
      emptyTable,
      read: (work) => onConnection(knex, work, Math.max(timeout, shortRead)).catch(throwUnavailable),
      snapshot: (work) =>
        knex
          .transaction((transaction) => onConnection(transaction, work), {
            isolationLevel: "repeatable read",
            readOnly: true,
          })
          .catch(throwUnavailable),
      stage: (resource, source, work) => this.#committer.stage(resource, source, work),
      lockStaged: lockPostgresStaged,
      write: (work) => this.#committer.write((making) => work(making, this.#readsWithin(making.client))),
    };

    // Records that are read after their build must not be of a standby that does not have the build.
    const { reach } = readers;
    this.builds = reachingBuilds(createBuilds(database), reach);
    this.coverage = reachingCoverage(createCoverages(stored, database.read), reach);
  }

  readonly page = async (query: RestrictedQuery, options: ReadOptions = {}): Promise<Page> => {
    const { form, count, since, until } = options;
    const asked = { page: query.top > 0, count, changes: since !== undefined || until !== undefined };
    const page = await this.#read(query, asked, options, (run) => this.#page(run, query, options, true));
    if (form === undefined) return page;
    const records = await writeInSteps(page.records, form);
    page.release?.();
    return { ...page, records, release: undefined };
  };

  /** @param isCommitted false if an open commit reads: what it reads is not there for others, and may never be */
  async #page(run: Run, query: RestrictedQuery, options: ReadOptions, isCommitted: boolean): Promise<Page> {
    const { from, count = false, stages = untimed } = options;
    const stored = this.#find(query);
    const past = pastOf(options);
    const placed = from === undefined ? query : await this.#after(run, query, from);
    const isKept = isCommitted && past === undefined;
    const { page, counting } = stages.time("compile", () => ({
      page: query.top === 0 ? undefined : this.#pageRequests.of(placed, stored, options, past),
      counting: count ? this.#keptCounts.counting(query, stored, past, isKept) : undefined,
    }));
    const request: PageAndCount = { page, count: counting?.request };
    const read =
      past === undefined
        ? await readCurrent(run, request)
        : await readAsOf(run, request, past, historyOf(stored, past), stored.closings);
    counting?.note(read);
    return toPage(read);
  }

  readonly changes: WritableStore["changes"] = async (query, read) => {
    const { form, since, until, signal, background, stages = untimed } = read;
    const request = stages.time("compile", () =>
      this.#pageRequests.changes(query, this.#find(query), read, true),
    );
    const state = until === undefined ? { until: since.checkpoint } : { asOf: until.checkpoint };
    const options = { signal, background, stages, ...state };
    const found = await this.#read(query, { page: true, changes: true }, options, (run) =>
      readPostgresChanges(run, request),
    );
    if (form === undefined || found.keys.length === 0) return found;
    const records = await writeInSteps(found.records, form);
    found.release?.();
    return { ...found, records, release: undefined };
  };

  readonly count: WritableStore["count"] = (query, options = {}) => {
    const { stages = untimed } = options;
    const { request, note } = stages.time("compile", () => this.#keptCounts.of(query, this.#find(query)));
    return this.#read(query, { count: true }, options, async (run) => {
      const read = await readCurrent(run, { count: request });
      note(read);
      return read.count ?? 0;
    });
  };

  readonly cells: WritableStore["cells"] = (query, cellsPerUnit, options = {}) => {
    const { known, stages = untimed } = options;
    const stored = this.#find(query);
    const since = known && { checkpoint: known.checkpoint, history: historyOf(stored, known) };
    const cells = stages.time("compile", () => compileCells(query, stored, cellsPerUnit, since));
    const asked = { count: true, changes: cells.changes !== undefined };
    return this.#read(query, asked, { ...options, asOf: since?.checkpoint }, async (run) => {
      const { checkpoint, ...read } = await readCells(run, cells);
      return { checkpoint, cells: currentCells(read, known) };
    });
  };

  readonly apply: WritableStore["apply"] = (restricted, { from, count = false, form }, options = {}) => {
    const { stages = untimed } = options;
    const { applied, entities } = restricted;
    const stored = this.#find(entities);
    const statements = stages.time("compile", () => ({
      rows: compileAppliedRows(restricted, stored, from),
      count: count ? compileAppliedCount(restricted, stored) : undefined,
    }));
    return this.#read(entities, { count: true }, options, async (run) => {
      const found = await readApplied(run, statements);
      return toAppliedPage(found.rows, found.count, applied, form, readComputedValue);
    });
  };

  readonly countApplied: WritableStore["countApplied"] = (restricted, options = {}) => {
    const count = { current: compileAppliedCount(restricted, this.#find(restricted.entities)) };
    return this.#read(restricted.entities, { count: true }, options, (run) => readCount(run, count));
  };

  readonly one: WritableStore["one"] = (query, options = {}) => {
    const { stages = untimed } = options;
    const page = stages.time("compile", () =>
      this.#pageRequests.of(firstOf(query), this.#find(query), options, undefined),
    );
    return this.#read(query, { page: true }, options, async (run) =>
      toRecord((await readLatest(run, { page })).page),
    );
  };

  readonly checkpoint = async (): Promise<number> => {
    const read = async (run: Run) => (await readCurrent(run, {})).checkpoint;
    const last = await this.#readers.use("bounded", read, { share: unlimitedShare }, { onlyPrimary: true });
    this.#readers.reach(last);
    return last;
  };

  readonly committedAt: WritableStore["committedAt"] = (checkpoint) =>
    this.#readers.use(
      "bounded",
      (run) => readCommitTime(run, checkpoint),
      { share: unlimitedShare },
      { onlyPrimary: true },
    );

  readonly stateAt: WritableStore["stateAt"] = (time) =>
    this.#readers.use(
      "bounded",
      (run) => readStateAt(run, time),
      { share: unlimitedShare },
      { onlyPrimary: true },
    );

  readonly commit: WritableStore["commit"] = async (changes, options) => {
    const commit = await this.#committer.commit(changes, options);
    this.#readers.reach(commit.checkpoint);
    return commit;
  };

  readonly builds: Builds;

  readonly coverage: ReadCoverage;

  readonly prune: WritableStore["prune"] = (time, builds = 3, kept) =>
    prunePostgres(
      this.#knex,
      [...this.#stored.values()].map(({ table }) => table),
      time,
      builds,
      kept,
    ).catch(throwUnavailable);

  readonly notes: WritableStore["notes"] = {
    get: (key) => readPostgresNote(this.#knex, key).catch(throwUnavailable),
    set: (key, text) => writePostgresNote(this.#knex, key, text).catch(throwUnavailable),
  };

  readonly mayWrite: WritableStore["mayWrite"] = () => mayCommit(this.#knex).catch(throwUnavailable);

  /** @internal */
  readonly explain: WritableStore["explain"] = (query, { from } = {}) =>
    this.#read(query, { page: true }, { from }, async (run) => {
      const stored = this.#find(query);
      const placed = from === undefined ? query : await this.#after(run, query, from);
      const page = this.#pageRequests.of(placed, stored, {}, pastOf({ from }));
      const hasClosed = from !== undefined && (await findClosed(run, historyOf(stored, from)));
      const lines: string[] = [];
      const onRow: Query["onRow"] = ([line]) => lines.push(line ?? "");
      await run(
        pageStatements(page, hasClosed).map(({ text, values }) => ({
          text: `explain ${text}`,
          values,
          onRow,
        })),
      );
      return lines;
    });

  readonly waiting = (): number => this.#scheduler.waiting;

  readonly replicas: WritableStore["replicas"] = () => this.#replicas.map(({ status }) => status);

  readonly used = (): Readonly<Record<CostClass, Use>> => this.#scheduler.used;

  readonly close = async (): Promise<void> => {
    await this.#readers.close();
    await this.#committer.idle();
    await this.#knex.destroy();
  };

  /** Returns reads that run in the open transaction of a connection. */
  #readsWithin(client: Client): CandidateReads {
    const run: Run = (queries) => runTogether(client, queries);
    return {
      page: (query, options = {}) => this.#page(run, query, options, false),
      count: async (query) => readCount(run, compileCountRequest(query, this.#find(query), undefined)),
    };
  }

  #read<T>(
    query: RestrictedQuery,
    asked: AnswerParts,
    options: Pick<ReadOptions, "signal" | "background" | "from" | "asOf" | "until" | "stages">,
    work: (run: Run) => Promise<T>,
  ): Promise<T> {
    const expected = expectedCost(query, this.#find(query).table, asked);
    const share = shareOf(query, this.#limits);
    const within = (run: Run) => work(this.#isWalled ? runWithin(query, run) : run);
    const { signal, background, stages } = options;
    return this.#readers.use(expected, within, { share, background, signal, stages }, needsOf(options));
  }

  #find({ entitySet: { name } }: BoundQuery): PostgresTable {
    const stored = this.#stored.get(name);
    if (stored === undefined) throw new StoreError("unknown_resource", name);
    return stored;
  }

  /** Returns the query starting after a bookmark. */
  async #after(run: Run, query: BoundQuery, from: Bookmark): Promise<BoundQuery> {
    const statements = [...compileOrderValues(query, this.#find(query), from)];
    return withPosition(query, await findStart(run, from.checkpoint, statements));
  }
}

const historyOf = ({ table }: PostgresTable, { checkpoint }: Pick<Bookmark, "checkpoint">): CompiledSql =>
  compilePostgresHistory(table, checkpoint);
