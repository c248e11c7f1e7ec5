import type { CompiledSql } from "@cadastre/odata";
import type { RecordForm } from "@cadastre/odata/run";
import type { ComputedColumn } from "../record/computed.ts";
import type { PlanRef } from "../record/plan.ts";
import type { ChangedPage, Moment, Page } from "../store.ts";
import type { ChangesStatements } from "./changes-request.ts";

/** A compiled read. It is plain data, so that it can be sent to another thread. */
export type ReadRequest<Plan = PlanRef> = {
  readonly page?: PageRequest<Plan> | undefined;
  readonly count?: CountRequest | undefined;
  readonly changes?: ChangesStatements<Plan> | undefined;
  readonly cells?: CellsRequest | undefined;
  /** See `compileAppliedRows`. */
  readonly applied?: CompiledSql | undefined;
  /** Set to read as of a checkpoint. */
  readonly asOf?: AsOf | undefined;
  /** Timeout in milliseconds from the moment that a reader starts the request. */
  readonly timeout: number;
};

export type AsOf = {
  readonly checkpoint: number;
  /** Selects the earliest checkpoint that can still be read, and whether any version was closed since this checkpoint. */
  readonly history: CompiledSql;
};

/** Compiled counts of the records in each cell of a grid. Rows have the form of the database, see `ReadForms.cellCounts`. */
export type CellsRequest = {
  /** Counts the current records. */
  readonly current: CompiledSql;
  /** Set to count only what has changed, if the database still has all versions since. */
  readonly changes?: CellChanges | undefined;
};

/** Statements for the difference between the current counts and those of an earlier checkpoint. */
type CellChanges = AsOf & {
  /** Counts the current versions that began since. */
  readonly began: CompiledSql;
  /** Counts the versions that were current at the checkpoint, and have ended since. */
  readonly ended: CompiledSql;
};

/** A statement in two forms. */
export type VersionStatements = {
  readonly current: CompiledSql;
  /** Statement that also reads closed versions. Used to read as of a checkpoint if a version was closed since. */
  readonly merged?: CompiledSql | undefined;
};

export type CountRequest = VersionStatements & {
  /**
   * The statement without the guard that checks the deadline. Used if an index alone answers it, because then no row takes long.
   */
  readonly unguarded?: CompiledSql | undefined;
  /** An earlier count to go on from, see `KeptCounts`. */
  readonly kept?: KeptCount | undefined;
};

type KeptCount = {
  readonly moment: Moment;
  /** The number at that commit; undefined if another commit has followed, or if it is that of another range. */
  readonly count: number | undefined;
  /** Selects the number of now; null if all must be counted. */
  readonly since: CompiledSql;
};

/** Statements select these columns: dataset, text, member index, checksum, key, computed values. */
export type PageRequest<Plan = PlanRef> = VersionStatements & {
  /**
   * Statement that reads an index in the query's order. It stops at the end of the page but may pass many rows that do not match,
   * so it is tried first, with a limit of `visits` rows.
   */
  readonly ordered?: { readonly statement: CompiledSql; readonly visits: number } | undefined;
  /** Statements to run after the first, one after another, until the page is full. */
  readonly further: readonly VersionStatements[];
  /** Number of rows to skip. */
  readonly skip: number;
  /** Maximum number of records in the page. The statements select one more, to find out if there is a next page. */
  readonly top: number;
  /** True to write each record on a line of its own. */
  readonly lines: boolean;
  /** True to return the keys of all records. */
  readonly keys: boolean;
  /** Number of columns of the key. */
  readonly key: number;
  readonly computed: readonly ComputedColumn[];
  readonly plan: Plan;
  /** See `ReadOptions.form`. */
  readonly form?: RecordForm | undefined;
};

/**
 * Returns the statement to run.
 *
 * @param hasClosed true if versions were closed since the checkpoint to read
 */
export const chosenOf = ({ current, merged }: VersionStatements, hasClosed: boolean): CompiledSql =>
  hasClosed ? (merged ?? current) : current;

/** Returns all statements that reading the page may run. */
export function pageStatements(
  { ordered, further, ...versions }: Omit<PageRequest, "plan">,
  hasClosed: boolean,
): readonly CompiledSql[] {
  const chosen = chosenOf(versions, hasClosed);
  const first = chosen === versions.current ? (ordered?.statement ?? chosen) : chosen;
  return [first, ...further.map((phase) => chosenOf(phase, hasClosed))];
}

export type ReadResult = {
  /** Number of the last commit that the read has seen. */
  readonly checkpoint: number;
  /** Time of that commit, of a read of the current records. */
  readonly time?: number | undefined;
  readonly page?: PageResult | undefined;
  readonly count?: number | undefined;
  readonly changes?: ChangedPage | undefined;
  readonly cells?: CellsResult | undefined;
  /** Rows of `applied`, in database form. */
  readonly applied?: readonly (readonly unknown[])[] | undefined;
};

/** Result of a {@link CellsRequest}: three numbers for each cell, of the current counts or of their difference to earlier ones. */
export type CellsResult = { readonly counts: Int32Array; readonly isChange: boolean };

export type PageResult = {
  readonly records: Uint8Array;
  /** See `Page.release`. */
  readonly release?: () => void;
  readonly length: number;
  /** See `Page.keys`. */
  readonly keys?: readonly unknown[] | undefined;
  /** Key of the last record, in database form. */
  readonly last: readonly unknown[];
  /** True if more records follow. */
  readonly more: boolean;
};

const emptyPage: PageResult = { records: new Uint8Array(), length: 0, last: [], more: false };

/** Returns the page that a store answers with; an empty one if only a count was read. */
export function toPage({ checkpoint, page = emptyPage, count }: ReadResult): Page {
  const { records, release, length, keys, last, more } = page;
  const next = more ? { checkpoint, key: last } : null;
  return { records, release, length, checkpoint, keys, last, next, count };
}

/** @throws {RangeError} if no changes were read */
export function changedPageOf({ changes }: ReadResult): ChangedPage {
  if (changes === undefined) throw new RangeError("a read of changes gives changes");
  return changes;
}

/**
 * Copies the record of a page that was read for one record, and releases the page; undefined if it is empty. The copy has its own size only: a
 * page's buffer is some times larger, and V8 collects all garbage each time that some megabytes of buffers were allocated.
 */
export function toRecord({ length, records, release }: PageResult = emptyPage): Uint8Array | undefined {
  const record = length === 1 ? new Uint8Array(records) : undefined;
  release?.();
  return record;
}
