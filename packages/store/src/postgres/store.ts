import type { RestrictedQuery } from "@cadastre/entitlement";
import type { BoundQuery, CompiledSql } from "@cadastre/odata";
import type { Knex } from "knex";
import type { Builds } from "../build/build.ts";
import type { BuildDatabase, CandidateReads } from "../build/build-database.ts";
import { createBuilds } from "../build/builds.ts";
import { createCoverages, type ReadCoverage } from "../coverage/coverages.ts";
import { createConnectionPool, readSettings, writeSettings } from "../database/postgres-connections.ts";
import { StoreError } from "../errors.ts";
import { startsWithDataset } from "../read/access.ts";
import { compileCountRequest, compileOrderValues } from "../read/compile.ts";
import { firstOf, withPosition } from "../read/current-compiler.ts";
import { type QueryLimits, shareOf } from "../read/customer-share.ts";
import { type AnswerParts, expectedCost } from "../read/expected-cost.ts";
import { PageRequests } from "../read/page-requests.ts";
import { type CountRequest, emptyPage, pageStatements } from "../read/request.ts";
import { type CostClass, type CustomerShare, QueryScheduler, type Use } from "../read/scheduler.ts";
import { type HistoricalState, pastOf } from "../read/versions.ts";
import { tableOf } from "../schema/table.ts";
import type { Bookmark, Page, ReadOptions } from "../store.ts";
import type { WritableStore } from "../writable-store.ts";
import type { Query } from "./connection/round-trip.ts";
import { type Client, onConnection, runTogether } from "./connection/session.ts";
import { compilePostgresHistory, readPostgresNote, writePostgresNote } from "./layout/bookkeeping.ts";
import { columnEncoding, postgresDatasetId, postgresSha256 } from "./layout/columns.ts";
import { migratePostgres } from "./migrate.ts";
import { createPostgresTable, type PostgresTable } from "./read/readable-table.ts";
import {
  findClosed,
  findStart,
  type HistoricalRead,
  type PageAndCount,
  readAsOf,
  readCurrent,
} from "./read/reader.ts";
import { PostgresReaders, type Run } from "./read/reader-pool.ts";
import { writeInSteps } from "./read/write-in-steps.ts";
import { otherConnections, type PostgresStoreOptions, readingConnections } from "./store-options.ts";
import { buildWall, wallSchema, wallSettings } from "./wall/build.ts";
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
  const { connection, resources, schema = "cadastre", timeout = 10_000, statements, wall } = options;
  const sizes = readingConnections(options);
  const target = { connection, schemas: [schema] };
  const knex = createConnectionPool(target, {
    connections: otherConnections,
    wait: timeout,
    settings: writeSettings,
    statements,
  });
  try {
    const { members: numbered, generation } = await migratePostgres(knex, schema, resources, options);
    const stored = new Map<string, PostgresTable>();
    for (const table of resources.map(tableOf)) {
      const members = numbered.get(table.name) ?? new Map();
      stored.set(table.name, createPostgresTable({ table, members }));
    }
    if (wall !== undefined) await buildWall(knex, schema, resources, wall);
    return new PostgresStore({ ...options, schema, timeout, sizes }, knex, stored, generation);
  } catch (error) {
    await knex.destroy();
    throw error;
  }
}

/** Unlimited share, for reads that belong to no customer's query. */
const ownShare: CustomerShare = {
  customer: "",
  weight: 1,
  queries: Number.POSITIVE_INFINITY,
  scanSeconds: Number.POSITIVE_INFINITY,
};

type Settled = PostgresStoreOptions & {
  readonly schema: string;
  readonly timeout: number;
  readonly sizes: Readonly<Record<CostClass, number>>;
};

/** A store with a pool of connections for look-ups, one for scans and one for commits, which run one after another. */
class PostgresStore implements WritableStore {
  readonly #knex: Knex;
  readonly #stored: ReadonlyMap<string, PostgresTable>;
  readonly #committer: PostgresCommitter;
  readonly #limits: QueryLimits | undefined;
  readonly #scheduler: QueryScheduler;
  readonly #readers: PostgresReaders;
  readonly #pageRequests = new PageRequests();
  readonly #isWalled: boolean;

  constructor(
    { connection, connections = 8, schema, timeout, sizes, statements, queue = 256, limits, wall }: Settled,
    knex: Knex,
    stored: Map<string, PostgresTable>,
    generation: number,
  ) {
    this.#knex = knex;
    this.#stored = stored;
    this.#committer = new PostgresCommitter(knex, stored, generation);
    this.#isWalled = wall !== undefined;
    const schemas = wall === undefined ? [schema] : [wallSchema(schema), schema];
    const byDataset = [...stored.values()].some(({ table }) => table.indexes.some(startsWithDataset));
    const settings = {
      ...readSettings(timeout, byDataset),
      ...(wall === undefined ? {} : wallSettings(wall)),
    };
    this.#limits = limits;
    this.#scheduler = new QueryScheduler({ readers: connections, most: sizes, queue });
    // The pool's own bound comes after the deadline, which says so better.
    const poolOf = (size: number) =>
      createConnectionPool(
        { connection, schemas },
        { connections: size, wait: timeout + 1000, settings, statements },
      );
    const page = poolOf(sizes.page);
    this.#readers = new PostgresReaders({
      pools: { page, scan: connections === 1 ? page : poolOf(sizes.scan) },
      scheduler: this.#scheduler,
      timeout,
    });
    const database: BuildDatabase = {
      tables: stored,
      formOf: columnEncoding,
      datasetId: postgresDatasetId,
      sha256: postgresSha256,
      emptyTable,
      read: (work) => onConnection(knex, work),
      snapshot: (work) =>
        knex.transaction((transaction) => onConnection(transaction, work), {
          isolationLevel: "repeatable read",
          readOnly: true,
        }),
      write: (work) => this.#committer.write((making) => work(making, this.#readsWithin(making.client))),
    };

    this.builds = createBuilds(database);
    this.coverage = createCoverages(stored, database.read);
  }

  readonly page = async (query: RestrictedQuery, options: ReadOptions = {}): Promise<Page> => {
    const { form, count, since, until } = options;
    const asked = { page: query.top > 0, count, changes: since !== undefined || until !== undefined };
    const page = await this.#read(query, asked, options, (run) => this.#page(run, query, options));
    return form === undefined ? page : { ...page, records: await writeInSteps(page.records, form) };
  };

  async #page(run: Run, query: RestrictedQuery, options: ReadOptions): Promise<Page> {
    const { from, count = false } = options;
    const stored = this.#find(query);
    const past = pastOf(options);
    const placed = from === undefined ? query : await this.#after(run, query, from);
    const request: PageAndCount = {
      page: query.top === 0 ? undefined : this.#pageRequests.of(placed, stored, options, past),
      count: count ? compileCountRequest(query, stored, past) : undefined,
    };
    const {
      checkpoint,
      page,
      count: counted,
    } = past === undefined
      ? await readCurrent(run, request)
      : await readAsOf(run, request, readOf(past), historyOf(stored, past), stored.closings);
    const { records, length, keys, last, more } = page ?? emptyPage;
    const next = more ? { checkpoint, key: last } : null;
    return { records, length, keys, last, next, ...(counted === undefined ? {} : { count: counted }) };
  }

  readonly count: WritableStore["count"] = (query, options = {}) => {
    const count = compileCountRequest(query, this.#find(query), undefined);
    return this.#read(query, { count: true }, options, (run) => countWith(run, count));
  };

  readonly one: WritableStore["one"] = (query, options = {}) => {
    const page = this.#pageRequests.of(firstOf(query), this.#find(query), options, undefined);
    return this.#read(query, { page: true }, options, async (run) => {
      const found = (await readCurrent(run, { page })).page;
      return found?.length === 1 ? found.records : undefined;
    });
  };

  readonly checkpoint = (): Promise<number> =>
    this.#readers.use("bounded", async (run) => (await readCurrent(run, {})).checkpoint, { share: ownShare });

  readonly commit: WritableStore["commit"] = (changes) => this.#committer.commit(changes);

  readonly builds: Builds;

  readonly coverage: ReadCoverage;

  readonly prune: WritableStore["prune"] = (time, builds = 3, kept) =>
    prunePostgres(
      this.#knex,
      [...this.#stored.values()].map(({ table }) => table),
      time,
      builds,
      kept,
    );

  readonly notes: WritableStore["notes"] = {
    get: (key) => readPostgresNote(this.#knex, key),
    set: (key, text) => writePostgresNote(this.#knex, key, text),
  };

  /** @internal */
  readonly explain: WritableStore["explain"] = (query, { from } = {}) =>
    this.#read(query, { page: true }, {}, async (run) => {
      const stored = this.#find(query);
      const placed = from === undefined ? query : await this.#after(run, query, from);
      const page = this.#pageRequests.of(placed, stored, {}, pastOf({ from }));
      const isClosed = from !== undefined && (await findClosed(run, historyOf(stored, from)));
      const lines: string[] = [];
      const onRow: Query["onRow"] = ([line]) => lines.push(line ?? "");
      await run(
        pageStatements(page, isClosed).map(({ text, values }) => ({
          text: `explain ${text}`,
          values,
          onRow,
        })),
      );
      return lines;
    });

  readonly waiting = (): number => this.#scheduler.waiting;

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
      page: (query, options = {}) => this.#page(run, query, options),
      count: async (query) => countWith(run, compileCountRequest(query, this.#find(query), undefined)),
    };
  }

  #read<T>(
    query: RestrictedQuery,
    asked: AnswerParts,
    { signal, background }: Pick<ReadOptions, "signal" | "background">,
    work: (run: Run) => Promise<T>,
  ): Promise<T> {
    const expected = expectedCost(query, this.#find(query).table, asked);
    const share = shareOf(query, this.#limits);
    const within = (run: Run) => work(this.#isWalled ? runWithin(query, run) : run);
    return this.#readers.use(expected, within, { share, background, signal });
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

const readOf = ({ checkpoint, changes }: HistoricalState): HistoricalRead => ({
  checkpoint,
  ...(changes?.kind === "ended" ? { needed: Math.max(checkpoint, changes.until) } : {}),
});

const countWith = async (run: Run, count: CountRequest): Promise<number> =>
  (await readCurrent(run, { count })).count ?? 0;
