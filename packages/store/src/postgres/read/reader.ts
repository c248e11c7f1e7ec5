import { type CompiledSql, postgres } from "@cadastre/odata";
import { StoreError } from "../../errors.ts";
import { CellCounter } from "../../read/cell-counter.ts";
import { inOne } from "../../read/in-one.ts";
import {
  type CellsRequest,
  type CellsResult,
  type CountRequest,
  chosenOf,
  type PageRequest,
  type PageResult,
  type ReadResult,
  type VersionStatements,
} from "../../read/request.ts";
import type { HistoricalState } from "../../read/versions.ts";
import type { PastState } from "../../store.ts";
import type { Query, TextRow } from "../connection/round-trip.ts";
import { hasOnePlan, keepPlans } from "../connection/statements.ts";
import {
  compilePostgresCommitTime,
  compilePostgresStateAt,
  postgresLastCheckpoint,
  postgresLastMoment,
} from "../layout/bookkeeping.ts";
import type { ClosedSinceCache } from "./closed-since-cache.ts";
import { PageRows } from "./page-rows.ts";
import type { Run } from "./reading-place.ts";

/**
 * Finds the position that a page starts after: the values of the `orderBy` expressions in the record of its bookmark.
 *
 * @param checkpoint that of the bookmark
 * @param orderValues statements of which one returns the values, most often the first
 * @throws {StoreError} `bookmark_expired` if none of them returns a row; `replica_behind` if the database does not have the checkpoint yet
 */
export async function findStart(
  run: Run,
  checkpoint: number,
  [current, ...others]: readonly CompiledSql[],
): Promise<readonly unknown[]> {
  let values: TextRow | undefined;
  const onRow = (fields: TextRow) => {
    values ??= fields;
  };
  if (current !== undefined) await run([{ ...current, onRow }]);
  if (values === undefined && others.length > 0)
    await run(others.map((statement) => ({ ...statement, onRow })));
  if (values !== undefined) return values;
  const { checkpoint: latest } = await readCurrent(run, {});
  throw new StoreError(latest < checkpoint ? "replica_behind" : "bookmark_expired");
}

/** Returns true if a version was closed since the checkpoint of the history. */
export async function findClosed(run: Run, history: CompiledSql): Promise<boolean> {
  let closed = false;
  await run([
    historyQuery(history, ({ hasClosed }) => {
      closed = hasClosed;
    }),
  ]);
  return closed;
}

type History = { readonly earliest: number; readonly hasClosed: boolean; readonly latest: number };

const historyQuery = (statement: CompiledSql, take: (history: History) => void): Query => ({
  ...statement,
  onRow: ([earliest, hasClosed, latest]) =>
    take({ earliest: Number(earliest), hasClosed: hasClosed === "t", latest: Number(latest) }),
});

/** A page and a count to read together. */
export type PageAndCount = {
  readonly page?: PageRequest | undefined;
  readonly count?: CountRequest | undefined;
};

/** Creates a query for a single number, which is passed to `take`. */
const numberOf = (statement: CompiledSql, take: (number: number) => void): Query => ({
  ...statement,
  onRow: ([text]) => take(Number(text)),
});

/**
 * Reads current versions in one snapshot. If no commit has followed that of a kept count, it is the count. Else the count goes on from it, and the
 * page is read again, because both are to be of one snapshot.
 */
export async function readCurrent(run: Run, { page, count }: PageAndCount): Promise<ReadResult> {
  const { kept } = count ?? {};
  if (count === undefined || kept === undefined) return readLast(run, { page, count });
  if (kept.count !== undefined) {
    const read = await readLast(run, { page });
    const { checkpoint, time } = kept.moment;
    if (read.checkpoint === checkpoint && read.time === time) return { ...read, count: kept.count };
    read.page?.release?.();
  }
  const current = inOne(postgres, ["select coalesce((", kept.since, "), (", count.current, "))"]);
  return readLast(run, { page, count: { current } });
}

async function readLast(run: Run, asked: PageAndCount): Promise<ReadResult> {
  let [checkpoint, time] = [0, 0];
  const last: Query = {
    ...postgresLastMoment,
    onRow: ([number, committed]) => {
      [checkpoint, time] = [Number(number), Number(committed)];
    },
  };
  const read = await readWith(run, last, asked, ({ current }) => current);
  return { checkpoint, time, ...read };
}

/** Reads current versions in one snapshot, without their checkpoint: a single statement then needs no transaction, unless it has an opening. */
export const readLatest = (run: Run, read: PageAndCount): Promise<Omit<ReadResult, "checkpoint">> =>
  readWith(run, undefined, read, ({ current }) => current);

/**
 * Reads the versions as of a checkpoint in one snapshot. Closed versions are read only if some were closed since. Whether they
 * were is first guessed from `closings`; the snapshot confirms the guess, or the read is repeated.
 *
 * @param history see `compilePostgresHistory`
 * @throws {StoreError} `bookmark_expired`; `replica_behind` if the database has not replayed the commits that the read depends on
 */
export async function readAsOf(
  run: Run,
  { page, count }: PageAndCount,
  past: Pick<HistoricalState, "checkpoint" | "changes">,
  history: CompiledSql,
  closings: ClosedSinceCache,
): Promise<ReadResult> {
  const { checkpoint, changes } = past;
  const needed = changes?.kind === "ended" ? Math.max(checkpoint, changes.until) : checkpoint;
  const hasClosed = closings.isKnownSince(checkpoint);
  let then: History = { earliest: 0, hasClosed, latest: 0 };
  const choose: Choose = (versions) => chosenOf(versions, hasClosed);
  const state = historyQuery(history, (found) => {
    then = found;
  });
  const read = await readWith(run, state, { page, count }, choose);
  if (then.latest < needed) throw new StoreError("replica_behind");
  if (checkpoint < then.earliest) throw new StoreError("bookmark_expired");
  if (then.hasClosed && !hasClosed) {
    closings.learn(checkpoint);
    return readAsOf(run, { page, count }, past, history, closings);
  }
  return { checkpoint, ...read };
}

type Choose = (versions: VersionStatements) => CompiledSql;

async function readWith(
  run: Run,
  state: Query | undefined,
  { page, count }: PageAndCount,
  choose: Choose,
): Promise<{ readonly page: PageResult | undefined; readonly count: number | undefined }> {
  const rows = page === undefined ? undefined : new PageRows(page);
  const rowsQuery = (versions: VersionStatements): Query => ({
    ...choose(versions),
    onRow: (fields) => rows?.add(fields),
  });
  let counted: number | undefined;
  const queries = state === undefined ? [] : [state];
  if (page !== undefined) queries.push(rowsQuery(page));
  if (count !== undefined)
    queries.push(
      numberOf(choose(count), (number) => {
        counted = number;
      }),
    );
  const further = page?.further ?? [];
  // A count needs a plan for its values.
  const mayKeep = page !== undefined && count === undefined && further.length === 0;
  if (mayKeep && hasOnePlan(choose(page).text)) queries.unshift(keepPlans);
  await run(queries, further.length > 0);
  for (const versions of further) {
    if (rows?.isFull === true) break;
    await run([rowsQuery(versions)]);
  }
  return { page: rows?.finish(), count: counted };
}

/** Returns a function that adds rows of both numbers of a cell and that of its records, times `sign`. */
const countRow =
  (counter: CellCounter, sign: 1 | -1) =>
  ([first, second, count]: TextRow): void => {
    if (first !== null && second !== null) counter.add(Number(first), Number(second), sign * Number(count));
  };

/**
 * Reads the cells of a query, or their changes, in one snapshot with its checkpoint. If versions since the earlier checkpoint were pruned, all
 * cells are read.
 *
 * @throws {StoreError} `replica_behind` if the database has not replayed the commits that the changes follow
 */
export async function readCells(
  run: Run,
  { current, changes }: CellsRequest,
): Promise<CellsResult & { readonly checkpoint: number }> {
  let checkpoint = 0;
  const counter = new CellCounter();
  if (changes === undefined) {
    const head = numberOf(postgresLastCheckpoint, (number) => {
      checkpoint = number;
    });
    await run([head, { ...current, onRow: countRow(counter, 1) }]);
    return { checkpoint, counts: counter.finish(), isChange: false };
  }
  let earliest = 0;
  const state = historyQuery(changes.history, (found) => {
    earliest = found.earliest;
    checkpoint = found.latest;
  });
  await run([
    state,
    { ...changes.began, onRow: countRow(counter, 1) },
    { ...changes.ended, onRow: countRow(counter, -1) },
  ]);
  if (checkpoint < changes.checkpoint) throw new StoreError("replica_behind");
  if (changes.checkpoint < earliest) return readCells(run, { current });
  return { checkpoint, counts: counter.finish(), isChange: true };
}

/** Statements of a page of the result of `$apply`, see `compileAppliedRows`. */
type AppliedStatements = { readonly rows: CompiledSql; readonly count: CompiledSql | undefined };

/** Reads the rows of the result of `$apply`, and their number, in one snapshot. */
export async function readApplied(run: Run, { rows, count }: AppliedStatements) {
  const found: TextRow[] = [];
  let counted: number | undefined;
  const total =
    count &&
    numberOf(count, (number) => {
      counted = number;
    });
  await run([{ ...rows, onRow: (fields) => found.push(fields) }, ...(total === undefined ? [] : [total])]);
  return { rows: found, count: counted };
}

/** See `Store.committedAt`. */
export async function readCommitTime(run: Run, checkpoint: number): Promise<number | undefined> {
  let time = checkpoint === 0 ? 0 : undefined;
  await run([
    numberOf(compilePostgresCommitTime(checkpoint), (number) => {
      time = number;
    }),
  ]);
  return time;
}

/** See `Store.stateAt`. */
export async function readStateAt(run: Run, time: number): Promise<PastState> {
  let found: PastState = { checkpoint: 0, earliest: 0 };
  const onRow = ([checkpoint, earliest]: TextRow) => {
    found = { checkpoint: Number(checkpoint ?? 0), earliest: Number(earliest ?? 0) };
  };
  await run([{ ...compilePostgresStateAt(time), onRow }]);
  return found;
}

/** Reads the count of a query from the latest state. */
export const readCount = async (run: Run, count: VersionStatements): Promise<number> =>
  (await readLatest(run, { count })).count ?? 0;
