import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type SqlFragment, sql, sqlite } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import type { Database, Statement } from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import type { Member } from "../../record/members.ts";
import { recordColumns, type TableSchema, validity } from "../../schema/table.ts";
import type { RemovedRecord, StoredRecord } from "../../store.ts";
import type { ChangeOutcome } from "../../write/tallies.ts";
import {
  type EncodedChange,
  type RemovedKey,
  removalKey,
  type Version,
  versionOf,
} from "../../write/version.ts";
import { storedEncoding } from "../layout/columns.ts";
import type { DatasetIds, DatasetNumbers } from "../layout/datasets.ts";
import { PlaceWriter } from "../layout/places.ts";
import { TextWriter } from "../layout/texts.ts";
import { isSame, RowUpdater } from "./row-updater.ts";

/** The current version of a record, as far as the writer needs it. */
type Present = [
  rowid: bigint,
  from: bigint,
  text: string,
  members: string,
  checksum: bigint,
  ...columns: unknown[],
];

/** A version in database form: the values of all columns, and the parts to compare with the current version. */
type VersionRow = {
  readonly all: readonly unknown[];
  readonly checkpoint: bigint;
} & Omit<Version, "values">;

/** The commit that a version begins or ends with. */
export type WritingCommit = {
  readonly checkpoint: bigint;
  readonly numbers: DatasetNumbers;
  readonly ids: DatasetIds;
};

/** The result of a change, and the dataset of the record; null if the record has no dataset or does not exist. */
export type Written = { readonly outcome: ChangeOutcome; readonly datasetId: string | null };

/** Writes versions of a resource's records, within the caller's transaction. */
export class SqliteTableWriter {
  readonly table: TableSchema;
  readonly #members: ReadonlyMap<string, Member>;
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #update: RowUpdater;
  readonly #close: Statement;
  readonly #delete: Statement;
  /** Reads columns of the versions that began after a checkpoint, row by row. */
  readonly #since: (
    columns: SqlFragment,
    at: number,
    condition: SqlFragment | undefined,
  ) => IterableIterator<unknown>;
  readonly #all: SqlFragment;
  /** Indexes that SQLite does not keep itself. */
  readonly #indexes: readonly (PlaceWriter | TextWriter)[];
  /** Index of the dataset column. */
  readonly #dataset: number;
  /** Indexes of the columns whose values are not in the record's text. */
  readonly #besides: readonly number[];
  #expectsNew = false;

  constructor(database: Database, table: TableSchema, members: ReadonlyMap<string, Member>) {
    this.table = table;
    this.#members = members;
    const prepare = (statement: SqlFragment) =>
      database.prepare(render(statement, sqlite.placeholder).text).safeIntegers();
    const [current, closed] = [identifier(table.name), identifier(table.closed)];
    const names = [
      ...table.columns.map(({ name }) => name),
      validity.from.name,
      ...Object.values(recordColumns),
    ];
    const columns = names.map((name) => identifier(name));
    const all = join(columns, ", ");
    const places = join(
      columns.map(() => value(null)),
      ", ",
    );
    const isOfKey = join(
      table.key.map(({ name }) => sql`${identifier(name)} = ${value(null)}`),
      " and ",
    );
    const outside = table.columns.filter(({ name }) => !members.has(name));
    this.#dataset = table.columns.indexOf(datasetProperty);
    this.#besides = outside.map((property) => table.columns.indexOf(property));
    const read = [sql`rowid`].concat(
      [validity.from.name, ...Object.values(recordColumns), ...outside.map(({ name }) => name)].map((name) =>
        identifier(name),
      ),
    );
    this.#find = prepare(sql`select ${join(read, ", ")} from ${current} where ${isOfKey}`).raw();
    this.#insert = prepare(sql`insert into ${current} (${all}) values (${places}) on conflict do nothing`);
    this.#update = new RowUpdater(database, table, names);
    // With "or rollback" SQLite saves no pages in order to undo the statement alone, see `suspendChecksums`.
    this.#close = prepare(
      sql`insert or rollback into ${closed} (${all}, ${identifier(validity.to.name)}) select ${all}, ${value(null)} from ${current} where rowid = ${value(null)}`,
    );
    this.#delete = prepare(sql`delete from ${current} where rowid = ${value(null)}`);
    this.#all = all;
    this.#since = (columns, at, condition) => {
      const only = condition === undefined ? sql`` : sql` and ${condition}`;
      const { text, values } = render(
        sql`select ${columns} from ${current} where ${identifier(validity.from.name)} > ${value(at)}${only}`,
        sqlite.placeholder,
      );
      return database
        .prepare(text)
        .safeIntegers()
        .raw()
        .iterate(...values);
    };
    this.#indexes = [
      ...table.points.map((point) => new PlaceWriter(database, table, point)),
      ...table.texts.map((text) => new TextWriter(database, table, text)),
    ];
  }

  /**
   * Writes a version of a record, unless it is equal to the current one.
   *
   * @throws {StoreError} `invalid_record`, `key_of_another_dataset`
   */
  put(stored: StoredRecord | EncodedChange, { checkpoint, numbers }: WritingCommit): Written {
    const { values, text, members, checksum } =
      "version" in stored ? stored.version : versionOf(stored, this.table, this.#members, storedEncoding);
    const all = [...values, checkpoint, text, members, checksum];
    all[this.#dataset] = stored.datasetId === null ? null : numbers.of(stored.datasetId);
    const version = { all, text, members, checksum, checkpoint };
    const key = values.slice(0, this.table.key.length);
    return { outcome: this.#write(version, key), datasetId: stored.datasetId };
  }

  /**
   * New records usually follow each other, so after one new record the next is inserted without looking for a current version
   * first.
   */
  #write(version: VersionRow, key: readonly unknown[]): ChangeOutcome {
    if (this.#expectsNew && this.#inserts(version)) return "written";
    const present = this.#find.get(key) as Present | undefined;
    this.#expectsNew = present === undefined;
    if (present !== undefined) {
      if (!isSame(version.all[this.#dataset], this.#datasetOf(present)))
        throw new StoreError("key_of_another_dataset", `${this.table.name} ${key.join(", ")}`);
      return this.#replace(version, present);
    }
    this.#inserts(version);
    return "written";
  }

  /** Inserts the version. Returns false if the key already has a version. */
  #inserts({ all }: VersionRow): boolean {
    const { changes, lastInsertRowid } = this.#insert.run(all);
    if (changes === 0) return false;
    for (const index of this.#indexes) index.insert(lastInsertRowid, all);
    return true;
  }

  #replace({ all, checkpoint, ...version }: VersionRow, present: Present): ChangeOutcome {
    const [rowid, from, text, members, checksum, ...besides] = present;
    // A row that differs in any part, such as a damaged one, is written again.
    const isSameRecord =
      text === version.text && members === version.members && isSame(version.checksum, checksum);
    if (isSameRecord && this.#besides.every((position, i) => isSame(all[position], besides[i])))
      return "unchanged";
    // A version that began with this same commit is replaced, because nobody has seen it.
    if (from !== checkpoint) this.#close.run(checkpoint, rowid);
    for (const index of this.#indexes) index.update(rowid, all);
    this.#update.run(rowid, all);
    return "written";
  }

  remove(removed: RemovedRecord | RemovedKey, { checkpoint, ids }: WritingCommit): Written {
    const { datasetId } = removed;
    const present = this.#find.get(...removalKey(removed, this.table, storedEncoding)) as Present | undefined;
    if (present === undefined || ids.of(this.#datasetOf(present)) !== datasetId)
      return { outcome: "absent", datasetId };
    const [rowid, from] = present;
    if (from !== checkpoint) this.#close.run(checkpoint, rowid);
    for (const index of this.#indexes) index.delete(rowid);
    this.#delete.run(rowid);
    return { outcome: "removed", datasetId };
  }

  /** Returns the number of the dataset that has the record. */
  #datasetOf([, , , , , ...besides]: Present): bigint | null {
    return besides[this.#besides.indexOf(this.#dataset)] as bigint | null;
  }

  /**
   * Runs `work`, which replaces the versions that began after checkpoint `at` by versions of this commit, and updates the
   * indexes that SQLite does not keep itself.
   *
   * @param isRestored condition for the versions that `work` replaces; by default all
   */
  async restore(work: () => Promise<void>, at: number, isRestored: SqlFragment | undefined): Promise<void> {
    for (const index of this.#indexes)
      for (const row of this.#since(sql`rowid`, at, isRestored)) index.delete((row as [bigint])[0]);
    await work();
    for (const index of this.#indexes)
      for (const row of this.#since(sql`rowid, ${this.#all}`, at, isRestored)) {
        const [rowid, ...values] = row as [bigint, ...unknown[]];
        index.insert(rowid, values);
      }
  }
}
