import type { RestrictedQuery } from "@cadastre/entitlement";
import { type BoundQuery, identifier, sql } from "@cadastre/odata";
import { readValue, registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import type { Builds } from "../build/build.ts";
import type { BuildDatabase, CandidateReads } from "../build/build-database.ts";
import { createBuilds } from "../build/builds.ts";
import { registerChecksum } from "../checksum/checksums.ts";
import { createCoverages, type ReadCoverage } from "../coverage/coverages.ts";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { pinsKey } from "../read/access.ts";
import { compileAppliedCount, compileAppliedRows, toAppliedPage } from "../read/applied.ts";
import { compileCells, currentCells } from "../read/cells.ts";
import { compileCountRequest, compileOrderValues, type ReadableTable } from "../read/compile.ts";
import { firstOf, withPosition } from "../read/current-compiler.ts";
import { type QueryLimits, shareOf } from "../read/customer-share.ts";
import { expectedCost } from "../read/expected-cost.ts";
import { KeptCounts } from "../read/kept-counts.ts";
import { PageRequests } from "../read/page-requests.ts";
import { untimed } from "../read/read-stages.ts";
import {
  type AsOf,
  changedPageOf,
  type ReadRequest,
  type ReadResult,
  toPage,
  toRecord,
} from "../read/request.ts";
import { type CostClass, QueryScheduler, type Use } from "../read/scheduler.ts";
import { type HistoricalState, pastOf } from "../read/versions.ts";
import { tableOf } from "../schema/table.ts";
import type { Bookmark, Page, ReadOptions } from "../store.ts";
import type { WritableStore } from "../writable-store.ts";
import {
  compileSqliteHistory,
  readSqliteCommitTime,
  readSqliteNote,
  readSqliteStateAt,
  writeSqliteNote,
} from "./layout/bookkeeping.ts";
import { storedEncoding } from "./layout/columns.ts";
import { datasetColumn, datasetId, isOfSqliteDataset } from "./layout/datasets.ts";
import { IndexStatistics } from "./layout/statistics.ts";
import { migrateSqlite } from "./migrate.ts";
import { createSqliteTable } from "./read/readable-table.ts";
import { Reader } from "./read/reader.ts";
import { SqliteReaders } from "./read/reader-pool.ts";
import { registerSha256, sha256Of, sqliteSession } from "./session.ts";
import type { SqliteStoreOptions } from "./store-options.ts";
import { SqliteCommitter } from "./write/commit.ts";
import { pruneSqlite } from "./write/prune.ts";

const pageCacheByDefault = 32 * 1024 ** 2;
const buffersByDefault = 64 * 1024 ** 2;

/**
 * Opens a store, and migrates its file if needed.
 *
 * @throws {StoreError} `schema_newer`, `schema_older`, `schema_unsupported`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<WritableStore> {
  const { file, resources } = options;
  const migrated = await migrateSqlite(file, resources, options);
  const read = new Database(file, { readonly: true });
  const { rowsOf } = new IndexStatistics(read);
  const dataset = datasetColumn(read);
  const stored = new Map<string, ReadableTable>();
  for (const table of migrated.resources.map(tableOf)) {
    const members = migrated.members.get(table.name) ?? new Map();
    stored.set(table.name, createSqliteTable({ table, members }, dataset, rowsOf));
  }
  return new SqliteStore(options, stored, read, migrated.generation);
}

/** Store with one connection for writing, one for reads by key on this thread, and threads for all other reads. */
class SqliteStore implements WritableStore {
  readonly #stored: ReadonlyMap<string, ReadableTable>;
  readonly #timeout: number;
  readonly #database: Database.Database;
  readonly #committer: SqliteCommitter;
  readonly #reader: Reader;
  readonly #limits: QueryLimits | undefined;
  readonly #scheduler: QueryScheduler;
  readonly #pool: SqliteReaders | undefined;
  readonly #pageRequests = new PageRequests();
  readonly #keptCounts = new KeptCounts();

  constructor(
    options: SqliteStoreOptions,
    stored: ReadonlyMap<string, ReadableTable>,
    read: Database.Database,
    generation: number,
  ) {
    const { file, threads = 2, queue = 256, timeout = 10_000, pageCache = pageCacheByDefault } = options;
    const { buffers = buffersByDefault, heap, startsThread = false } = options;
    this.#stored = stored;
    this.#timeout = timeout;
    this.#database = openToWrite(file);
    this.#scheduler = new QueryScheduler({ readers: threads, queue, usage: options.limits?.usage });
    this.#pool =
      threads === 0
        ? undefined
        : new SqliteReaders({ file, pageCache, buffers, heap, scheduler: this.#scheduler });
    if (startsThread) this.#pool?.start();
    this.#committer = new SqliteCommitter(this.#database, stored, generation);
    this.#reader = new Reader(read, new Int32Array(1));
    this.#limits = options.limits;
    const committed = sqliteSession(read);
    const database: BuildDatabase = {
      tables: stored,
      formOf: storedEncoding,
      datasetId,
      isOfDataset: isOfSqliteDataset,
      sha256: sha256Of,
      emptyTable: async (session, table) => {
        await session.rows(sql`delete from ${identifier(table)}`);
      },
      read: (work) => work(committed),
      snapshot: (work) => withSnapshot(file, work),
      stage: (_resource, _source, work) => this.#committer.write(({ session }) => work(session)),
      // No other transaction writes.
      lockStaged: async () => {},
      write: (work) => this.#committer.write((making) => work(making, candidateReads)),
    };

    this.builds = createBuilds(database);
    this.coverage = createCoverages(stored, database.read);
    const within = new Reader(this.#database, new Int32Array(1));
    const candidateReads: CandidateReads = {
      page: (query, options = {}) =>
        this.#page(query, options, within, async (request) => within.readWithin(request)),
      count: async (query) => {
        const count = compileCountRequest(query, this.#find(query), undefined);
        return within.readWithin({ count, timeout }).count ?? 0;
      },
    };
  }

  readonly page = (query: RestrictedQuery, options: ReadOptions = {}): Promise<Page> =>
    this.#page(query, options, this.#reader, (request) => this.#read(request, query, options));

  async #page(
    query: RestrictedQuery,
    options: ReadOptions,
    reader: Reader,
    read: (request: ReadRequest) => Promise<ReadResult>,
  ): Promise<Page> {
    const { from, count = false, stages = untimed } = options;
    const stored = this.#find(query);
    const past = pastOf(options, (checkpoint) => reader.hasFewChanges(stored.table, checkpoint));
    const placed =
      from === undefined ? query : withPosition(query, orderValuesOf(query, stored, from, reader));
    // An open commit reads records that are not there for others, and may never be.
    const isKept = past === undefined && reader === this.#reader;
    const { request, counting } = stages.time("compile", () => {
      const counted = count ? this.#keptCounts.counting(query, stored, past, isKept) : undefined;
      const asked: ReadRequest = {
        page: query.top === 0 ? undefined : this.#pageRequests.of(placed, stored, options, past),
        count: counted?.request,
        asOf: asOf(stored, past),
        timeout: this.#timeout,
      };
      return { request: asked, counting: counted };
    });
    const result = await read(request);
    counting?.note(result);
    return toPage(result);
  }

  readonly changes: WritableStore["changes"] = async (query, read) => {
    const { stages = untimed } = read;
    const stored = this.#find(query);
    const few = this.#reader.hasFewChanges(stored.table, read.since.checkpoint);
    const changes = stages.time("compile", () => this.#pageRequests.changes(query, stored, read, few));
    const { signal, background } = read;
    const options = { signal, background, stages };
    return changedPageOf(await this.#read({ changes, timeout: this.#timeout }, query, options));
  };

  readonly count = async (
    query: RestrictedQuery,
    options: Pick<ReadOptions, "signal" | "background" | "stages"> = {},
  ): Promise<number> => {
    const { stages = untimed } = options;
    const { request, note } = stages.time("compile", () => this.#keptCounts.of(query, this.#find(query)));
    const read = await this.#read({ count: request, timeout: this.#timeout }, query, options);
    note(read);
    return read.count ?? 0;
  };

  readonly cells: WritableStore["cells"] = async (query, cellsPerUnit, options = {}) => {
    const { known, stages = untimed } = options;
    const stored = this.#find(query);
    const few = known && this.#reader.hasFewChanges(stored.table, known.checkpoint) ? known : undefined;
    const since = asOf(stored, few);
    const cells = stages.time("compile", () => compileCells(query, stored, cellsPerUnit, since));
    const read = await this.#read({ cells, timeout: this.#timeout }, query, options);
    return { checkpoint: read.checkpoint, cells: currentCells(read.cells, known) };
  };

  readonly apply: WritableStore["apply"] = async (
    restricted,
    { from, count = false, form },
    options = {},
  ) => {
    const { stages = untimed } = options;
    const { applied, entities } = restricted;
    const stored = this.#find(entities);
    const request = stages.time(
      "compile",
      (): ReadRequest => ({
        applied: compileAppliedRows(restricted, stored, from),
        count: count ? { current: compileAppliedCount(restricted, stored) } : undefined,
        timeout: this.#timeout,
      }),
    );
    const read = await this.#read(request, entities, options);
    return toAppliedPage(read.applied ?? [], read.count, applied, form, readValue);
  };

  readonly countApplied: WritableStore["countApplied"] = async (restricted, options = {}) => {
    const current = compileAppliedCount(restricted, this.#find(restricted.entities));
    const request = { count: { current }, timeout: this.#timeout };
    return (await this.#read(request, restricted.entities, options)).count ?? 0;
  };

  readonly one = async (
    query: RestrictedQuery,
    options: Pick<ReadOptions, "nulls" | "signal" | "background" | "stages"> = {},
  ): Promise<Uint8Array | undefined> => {
    const { stages = untimed } = options;
    const page = stages.time("compile", () =>
      this.#pageRequests.of(firstOf(query), this.#find(query), options, undefined),
    );
    // A read by key takes less time than sending it to a thread.
    if (pinsKey(query))
      return stages.time("query", () => this.#reader.readOne(page, this.#timeout), { system: "sqlite" });
    return toRecord((await this.#read({ page, timeout: this.#timeout }, query, options)).page);
  };

  readonly checkpoint = async (): Promise<number> => this.#reader.checkpoint();

  readonly committedAt: WritableStore["committedAt"] = async (checkpoint) =>
    readSqliteCommitTime(this.#database, checkpoint);

  readonly stateAt: WritableStore["stateAt"] = async (time) => readSqliteStateAt(this.#database, time);

  readonly commit: WritableStore["commit"] = (changes, options) => this.#committer.commit(changes, options);

  readonly commitEncoded: NonNullable<WritableStore["commitEncoded"]> = (changes) =>
    this.#committer.commit(changes);

  readonly builds: Builds;

  readonly coverage: ReadCoverage;

  readonly prune: WritableStore["prune"] = (time, builds = 3, kept) => {
    const tables = [...this.#stored.values()].map(({ table }) => table);
    return this.#committer.alone(() => pruneSqlite(this.#database, tables, time, builds, kept));
  };

  readonly notes: WritableStore["notes"] = {
    get: async (key) => readSqliteNote(this.#database, key),
    set: (key, text) => this.#committer.alone(() => writeSqliteNote(this.#database, key, text)),
  };

  // A file that cannot be written is not opened.
  readonly mayWrite: WritableStore["mayWrite"] = async () => true;

  /** @internal */
  readonly explain: WritableStore["explain"] = async (query, { from } = {}) => {
    const stored = this.#find(query);
    const placed =
      from === undefined ? query : withPosition(query, orderValuesOf(query, stored, from, this.#reader));
    const past = pastOf({ from });
    return this.#reader.explain(this.#pageRequests.of(placed, stored, {}, past), asOf(stored, past));
  };

  readonly waiting = (): number => this.#scheduler.waiting;
  readonly replicas: WritableStore["replicas"] = () => [];

  readonly used = (): Readonly<Record<CostClass, Use>> => this.#scheduler.used;

  readonly close = async (): Promise<void> => {
    await this.#pool?.close();
    this.#reader.close();
    // The last connection to close writes the log back into the file. A read-only connection cannot do that.
    await this.#committer.alone(() => this.#database.close());
  };

  #find({ entitySet: { name } }: BoundQuery): ReadableTable {
    const stored = this.#stored.get(name);
    if (stored === undefined) throw new StoreError("unknown_resource", name);
    return stored;
  }

  async #read(
    request: ReadRequest,
    query: RestrictedQuery,
    {
      signal,
      background,
      since,
      until,
      stages,
    }: Pick<ReadOptions, "signal" | "background" | "since" | "until" | "stages">,
  ): Promise<ReadResult> {
    if (this.#pool === undefined) return this.#reader.read(request);
    const { page, count, cells, applied, changes } = request;
    const expected = expectedCost(query, this.#find(query).table, {
      page: page !== undefined || changes !== undefined,
      count: count !== undefined || cells !== undefined || applied !== undefined,
      changes: [since, until, cells?.changes, changes].some((one) => one !== undefined),
    });
    const share = shareOf(query, this.#limits);
    return this.#pool.read(request, expected, { share, background, signal, stages });
  }
}

/** @throws {StoreError} `bookmark_expired` */
function orderValuesOf(
  query: BoundQuery,
  stored: ReadableTable,
  from: Bookmark,
  reader: Reader,
): readonly unknown[] {
  for (const statement of compileOrderValues(query, stored, from)) {
    const values = reader.row(statement);
    if (values !== undefined) return values;
  }
  throw new StoreError("bookmark_expired");
}

const asOf = (
  { table }: ReadableTable,
  past: Pick<HistoricalState, "checkpoint"> | undefined,
): AsOf | undefined =>
  past && { checkpoint: past.checkpoint, history: compileSqliteHistory(table, past.checkpoint) };

/** Runs `work` in a read transaction on a connection of its own. */
async function withSnapshot<T>(file: string, work: (session: Session) => Promise<T>): Promise<T> {
  const database = new Database(file, { readonly: true });
  try {
    registerSha256(database);
    database.exec("begin");
    return await work(sqliteSession(database));
  } finally {
    database.close();
  }
}

function openToWrite(file: string): Database.Database {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = normal");
  registerFunctions(database);
  registerSha256(database);
  registerChecksum(database);
  // Busy files are retried by `retryWhileBusy`.
  database.pragma("busy_timeout = 0");
  // Unsafe mode allows publishing to stream staged changes while it writes to other tables.
  database.unsafeMode(true);
  return database;
}
