import { registerAggregates } from "@cadastre/odata/apply";
import { LruCache } from "@cadastre/odata/lru-cache";
import {
  type AllocateBuffer,
  type CompiledSql,
  identifier,
  render,
  sql,
  sqlite,
  value,
} from "@cadastre/odata/run";
import { readValue, registerFunctions } from "@cadastre/odata/sqlite";
import type { Database, Statement } from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import { CellCounter, cellAggregate } from "../../read/cell-counter.ts";
import type { ChangesStatements } from "../../read/changes-request.ts";
import {
  type AsOf,
  type CellsRequest,
  type CellsResult,
  type CountRequest,
  chosenOf,
  type PageRequest,
  type PageResult,
  pageStatements,
  type ReadRequest,
  type ReadResult,
  toRecord,
} from "../../read/request.ts";
import { RecordLayout } from "../../record/assemble.ts";
import { computedText } from "../../record/computed.ts";
import type { SeenPlanRef } from "../../record/plan.ts";
import { requireUndamaged } from "../../record/record-checksum.ts";
import { beginning, type TableSchema, validity } from "../../schema/table.ts";
import type { ChangedPage } from "../../store.ts";
import { sqliteLastCheckpoint, sqliteLastMoment } from "../layout/bookkeeping.ts";
import { DatasetIds } from "../layout/datasets.ts";
import { Deadline, TooManyVisits } from "./deadline.ts";
import { KnownCounts } from "./known-counts.ts";
import { readSqliteChanges } from "./read-changes.ts";
import { AssemblyMemory, beforeKey, inForm, type RecordRow } from "./record-row.ts";
import { type JoinedRows, manyRows, separateRows } from "./rows-in-one.ts";
import { StatementCache } from "./statement-cache.ts";

/** Capacity of the LRU cache of record layouts. */
export const keptPlans = 256;

/** Maximum number of changes for which sorting the changes is faster than reading all records of a table in order. */
const fewChanges = 20_000;

const newMemory: AllocateBuffer = (bytes) => Buffer.allocUnsafeSlow(bytes);

const head = { text: sqliteLastCheckpoint, values: [] };
const lastMoment = { text: sqliteLastMoment, values: [] };

/** Runs reads on one connection, each in its own transaction. */
export class Reader {
  readonly #database: Database;
  readonly #statements: StatementCache;
  readonly #datasets: DatasetIds;
  readonly #deadline: Deadline;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #counts: KnownCounts | undefined;
  readonly #layouts = new LruCache<number, RecordLayout>(keptPlans);
  readonly #assembly = new AssemblyMemory();

  /**
   * @param canceled see {@link Deadline}
   * @param pageCache see `SqliteStoreOptions`; by default 16 MB, as of any connection
   */
  constructor(database: Database, canceled: Int32Array, pageCache?: number) {
    this.#database = database;
    this.#deadline = new Deadline(database, canceled);
    registerFunctions(this.#deadline.hostOf(database));
    database.aggregate(cellAggregate, {
      varargs: true,
      start: () => new CellCounter(),
      step: (counter: CellCounter, ...[first, second]: readonly unknown[]) => {
        if (first !== null && second !== null) counter.add(Number(first), Number(second), 1);
      },
      result: (counter: CellCounter) => Buffer.from(counter.finish().buffer),
    });
    registerAggregates(database);
    // A negative size is one in KiB.
    if (pageCache !== undefined) database.pragma(`cache_size = ${-Math.floor(pageCache / 1024)}`);
    this.#statements = new StatementCache(database);
    this.#counts = database.readonly ? new KnownCounts(database) : undefined;
    this.#datasets = new DatasetIds(database);
    this.#begin = database.prepare("begin");
    this.#commit = database.prepare("commit");
  }

  /** @throws {StoreError} `query_timeout`, `query_canceled` */
  read(request: ReadRequest<SeenPlanRef>, memory = newMemory): ReadResult {
    this.#begin.run();
    try {
      return this.readWithin(request, memory);
    } finally {
      this.#commit.run();
    }
  }

  /**
   * Reads within the current transaction.
   *
   * @throws {StoreError} `query_timeout`, `query_canceled`
   */
  readWithin(
    { page, count, changes, cells, applied, asOf, timeout }: ReadRequest<SeenPlanRef>,
    memory: AllocateBuffer = newMemory,
  ): ReadResult {
    const layout = page && this.#layoutOf(page);
    return this.#deadline.during(timeout, () => {
      const hasClosed = this.#hasClosed(asOf);
      const [last, time] = asOf === undefined ? (this.row(lastMoment)?.map(Number) ?? [0, 0]) : [];
      return {
        checkpoint: asOf?.checkpoint ?? last ?? 0,
        time,
        page: page && layout && this.#page(page, layout, hasClosed, memory),
        count:
          count === undefined
            ? undefined
            : (this.#keptCount(count, last, time) ?? this.#count(count, hasClosed)),
        changes: changes && this.#changes(changes, memory),
        cells: cells && this.#cells(cells),
        applied: applied && this.#all(applied),
      };
    });
  }

  /** Reads one record by its key; undefined if there is none. Needs no explicit transaction, because it is one statement. */
  readOne(page: PageRequest, timeout: number): Uint8Array | undefined {
    return toRecord(
      this.#deadline.during(timeout, () => this.#page(page, this.#layoutOf(page), false, undefined)),
    );
  }

  /** Returns the size of the records that were read since the last call, in bytes. */
  takeReadBytes(): number {
    return this.#assembly.takeBytes();
  }

  /** Returns the first row of a statement, in database form. */
  row({ text, values }: CompiledSql): readonly unknown[] | undefined {
    return this.#statements.prepare(text).get(...values) as readonly unknown[] | undefined;
  }

  close(): void {
    this.#database.close();
  }

  /**
   * True if a version was closed since the checkpoint to read.
   *
   * @throws {StoreError} `bookmark_expired`
   */
  #hasClosed(asOf: AsOf | undefined): boolean {
    if (asOf === undefined) return false;
    const [earliest, hasClosed] = this.row(asOf.history) ?? [];
    if (asOf.checkpoint < Number(earliest ?? 0)) throw new StoreError("bookmark_expired");
    return hasClosed === 1n;
  }

  /** True if no version that was current at the checkpoint has been pruned. */
  #hasHistory({ checkpoint, history }: AsOf): boolean {
    const [earliest] = this.row(history) ?? [];
    return checkpoint >= Number(earliest ?? 0);
  }

  /** Returns SQLite's query plan for the statements of a page, one line per step. */
  explain(page: PageRequest, asOf: AsOf | undefined): readonly string[] {
    return pageStatements(page, this.#hasClosed(asOf)).flatMap((statement) =>
      this.#statements.plan(statement),
    );
  }

  checkpoint(): number {
    return this.#number(head);
  }

  /** True if at most {@link fewChanges} versions of a table began or ended after a checkpoint. */
  hasFewChanges({ name, closed }: TableSchema, checkpoint: number): boolean {
    const began = sql`select 1 from ${identifier(name)} where ${beginning} > ${value(BigInt(checkpoint))}`;
    const ended = sql`select 1 from ${identifier(closed)} where ${identifier(validity.to.name)} > ${value(BigInt(checkpoint))}`;
    const found = sql`select count(*) from (${began} union all ${ended} limit ${value(fewChanges + 1)})`;
    return this.#number(render(found, sqlite.placeholder)) <= fewChanges;
  }

  #number(statement: CompiledSql): number {
    return Number(this.row(statement)?.[0] ?? 0);
  }

  #page(
    request: PageRequest<SeenPlanRef>,
    layout: RecordLayout,
    hasClosed: boolean,
    memory: AllocateBuffer | undefined,
  ): PageResult {
    const { top, lines, keys, key, computed } = request;
    const rows = this.#rows(request, hasClosed);
    const shown = rows.length > top ? rows.slice(0, top) : rows;
    const assembler = this.#assembly.assembler(
      layout,
      lines,
      shown.map(([, text]) => text.length),
      memory,
    );
    const keyOf = (row: RecordRow | undefined) => row?.slice(beforeKey, beforeKey + key) ?? [];
    for (const row of shown) {
      const text =
        computed.length === 0
          ? ""
          : computedText(computed, row.slice(beforeKey + key), readValue, layout.plan.nulls);
      const dataset = this.#datasets.of(row[0]);
      requireUndamaged(dataset, row[1], row[2], row[3], () => keyOf(row));
      assembler.add(row[1], row[2], dataset, text);
    }
    return {
      records: inForm(assembler.finish(), request.form, memory),
      length: shown.length,
      keys: keys ? shown.flatMap(keyOf) : undefined,
      last: keyOf(shown.at(-1)),
      more: rows.length > shown.length,
    };
  }

  #rows(request: PageRequest<SeenPlanRef>, hasClosed: boolean): RecordRow[] {
    const rows = this.#firstRows(request, hasClosed);
    const { further, skip, top } = request;
    for (const versions of further) {
      if (rows.length > skip + top) break;
      rows.push(...this.#recordRows(request, chosenOf(versions, hasClosed)));
    }
    return skip === 0 ? rows : rows.slice(skip);
  }

  #firstRows(request: PageRequest<SeenPlanRef>, hasClosed: boolean): RecordRow[] {
    const { ordered, current } = request;
    const chosen = chosenOf(request, hasClosed);
    if (ordered === undefined || chosen !== current) return this.#recordRows(request, chosen);
    try {
      this.#deadline.allow(ordered.visits);
      return this.#recordRows(request, ordered.statement);
    } catch (error) {
      if (error instanceof TooManyVisits) return this.#recordRows(request, current);
      throw error;
    }
  }

  #recordRows({ top, key, computed }: PageRequest<SeenPlanRef>, statement: CompiledSql): RecordRow[] {
    if (top < manyRows || key !== 1 || computed.length > 0) return this.#all(statement);
    const joined = this.#statements.prepareInOne(statement.text).get(...statement.values) as JoinedRows;
    return separateRows(joined) ?? this.#all(statement);
  }

  #all({ text, values }: CompiledSql): RecordRow[] {
    return this.#statements.prepare(text).all(...values) as RecordRow[];
  }

  /** Returns the number of records by an earlier count; undefined if there is none to go on from. */
  #keptCount({ kept }: CountRequest, last: number | undefined, time: number | undefined): number | undefined {
    if (kept === undefined) return undefined;
    const { moment, count, since } = kept;
    if (count !== undefined && moment.checkpoint === last && moment.time === time) return count;
    const [now = null] = this.row(since) ?? [];
    return now === null ? undefined : Number(now);
  }

  #count(request: CountRequest, hasClosed: boolean): number {
    const { unguarded } = request;
    const isCovered = unguarded !== undefined && this.#statements.isCovered(unguarded);
    const statement = isCovered ? unguarded : chosenOf(request, hasClosed);
    const count = () => this.#number(statement);
    return this.#counts === undefined ? count() : this.#counts.get(statement, count);
  }

  #cells({ current, changes }: CellsRequest): CellsResult {
    if (changes === undefined || !this.#hasHistory(changes))
      return { counts: this.#cellCounts(current), isChange: false };
    const counter = new CellCounter();
    counter.addAll(this.#cellCounts(changes.began), 1);
    counter.addAll(this.#cellCounts(changes.ended), -1);
    return { counts: counter.finish(), isChange: true };
  }

  #cellCounts({ text, values }: CompiledSql): Int32Array {
    const [bytes] = this.#statements.prepare(text).get(...values) as [Uint8Array];
    // A view needs an aligned offset, which the driver's buffer may not have.
    return new Int32Array(new Uint8Array(bytes).buffer);
  }

  #changes(request: ChangesStatements<SeenPlanRef>, memory: AllocateBuffer): ChangedPage {
    const answers = {
      all: (statement: CompiledSql) => this.#all(statement),
      first: (statement: CompiledSql) => this.row(statement),
      datasetOf: (id: bigint | null) => this.#datasets.of(id),
    };
    return readSqliteChanges(request, this.#layoutOf(request), answers, this.#assembly, memory);
  }

  #layoutOf({ plan: { id, plan } }: Pick<PageRequest<SeenPlanRef>, "plan">): RecordLayout {
    return this.#layouts.get(id, () => {
      if (plan === undefined) throw new RangeError("a plan is known by its number alone");
      return new RecordLayout(plan);
    });
  }
}
