import { type RestrictedQuery, type Scope, scopeOf } from "@cadastre/entitlement";
import { type BoundNode, type BoundQuery, type CompiledSql, sql } from "@cadastre/odata";
import { LruCache } from "@cadastre/odata/lru-cache";
import { identifier, render, type SqlFragment, value } from "@cadastre/odata/run";
import { allOf, conjuncts, mapChildren } from "@cadastre/odata/tree";
import { beginning, beginningValue, isPrunedNote, type TableSchema, validity } from "../schema/table.ts";
import type { Moment } from "../store.ts";
import { pinsKey } from "./access.ts";
import { compileCountRequest, type ReadableTable } from "./compile.ts";
import { type CountRange, countRangeOf, isSameRange, rangeDistance, rangesWithout } from "./count-range.ts";
import { inOne } from "./in-one.ts";
import type { CountRequest, ReadResult } from "./request.ts";
import { statementKey } from "./statement-key.ts";
import { changedConditions, type HistoricalState } from "./versions.ts";

/** Capacity of the LRU cache, and of the ranges that are kept of one filter. */
const [keptFilters, keptRanges] = [100, 64];

/** Ranges are near each other if their bounds differ by at most this share. */
const near = 0.25;

/** Fewer rows than these are counted in less time than a statement for their difference takes. */
const few = 10_000;

/** Up to so many changes are read in any case, and one more for so many rows: to look at it costs as much as to count them in an index. */
const [fewChanges, rowsPerChange] = [50, 100];

/** A number of records, and the commit that it was counted at. */
type Kept = {
  readonly range: CountRange;
  readonly moment: Moment;
  readonly count: number;
  /** Statement for the count now, compiled when it is needed first. */
  since: CompiledSql | undefined;
};

/** A count to read, and what to do with the answer. */
export type Counting = {
  readonly request: CountRequest;
  readonly note: (read: Pick<ReadResult, "checkpoint" | "time" | "count">) => void;
};

const notKept = (request: CountRequest): Counting => ({ request, note: () => {} });

/**
 * The numbers of current records that queries have found. A number goes on from an earlier one: that of the same query, or of a filter with
 * nearly the same range of a column. Then only the versions are read that have changed since, and the rows by which the ranges differ.
 */
export class KeptCounts {
  readonly #filters = new LruCache<string, Kept[]>(keptFilters);
  /** The commit of the last answer. */
  #last: Moment | undefined;

  /** @param isKept false for a past state, and for one that is not committed */
  counting(
    query: RestrictedQuery,
    readable: ReadableTable,
    past: HistoricalState | undefined,
    isKept: boolean,
  ): Counting {
    return isKept ? this.of(query, readable) : notKept(compileCountRequest(query, readable, past));
  }

  /** Returns the count of current records. */
  of(query: RestrictedQuery, readable: ReadableTable): Counting {
    const request = compileCountRequest(query, readable, undefined);
    const range = countRangeOf(query, readable.table);
    const key = isKept(query, readable) ? keyOf(query, range, readable) : undefined;
    if (key === undefined) return notKept(request);
    const known = this.#filters.get(`${scopeNumber(scopeOf(query))} ${key}`, () => []);
    const note: Counting["note"] = ({ checkpoint, time, count }) => {
      if (count === undefined || time === undefined || checkpoint === 0) return;
      const moment = { checkpoint, time };
      this.#last = moment;
      const same = known.findIndex((one) => isSameRange(one.range, range));
      const earlier = known[same]?.moment;
      if (isSameMoment(earlier, moment)) return;
      if (earlier !== undefined) known.splice(same, 1);
      known.push({ range, moment, count, since: undefined });
      if (known.length > keptRanges) known.shift();
    };
    const kept = nearest(known, range);
    if (kept === undefined) return { request, note };
    const { moment } = kept;
    if (!isSameRange(kept.range, range)) {
      const since = compileSince(query, readable, kept, range);
      return { request: { ...request, kept: { moment, count: undefined, since } }, note };
    }
    kept.since ??= compileSince(query, readable, kept, range);
    // If a commit has followed, there is no hope that it is still the number.
    const count = isSameMoment(this.#last, moment) ? kept.count : undefined;
    return { request: { ...request, kept: { moment, count, since: kept.since } }, note };
  }
}

const isSameMoment = (a: Moment | undefined, b: Moment): boolean =>
  a?.checkpoint === b.checkpoint && a.time === b.time;

/** True if a number can be kept: what the filter finds changes only with versions of the records that it finds. */
const isKept = (query: BoundQuery, { table }: ReadableTable): boolean =>
  table.follows === undefined && !pinsKey(query) && !conjuncts(query.filter).some(readsOthers);

const judged = new WeakMap<BoundNode, boolean>();

/** True if a condition may read other records. */
function readsOthers(condition: BoundNode): boolean {
  const before = judged.get(condition);
  if (before !== undefined) return before;
  let found = condition.kind === "Structure";
  mapChildren(condition, (child) => {
    found ||= readsOthers(child);
    return child;
  });
  judged.set(condition, found);
  return found;
}

function keyOf(
  query: BoundQuery,
  { rest, shape }: CountRange,
  { compilers }: ReadableTable,
): string | undefined {
  const key = statementKey(compilers.plain.count({ ...query, filter: rest }));
  return key === undefined ? undefined : `${shape} ${key}`;
}

const scopeNumbers = new WeakMap<Scope, number>();
let scopes = 0;

/** Returns a number of a scope: behind a wall, its statement alone does not tell which rows it finds. 0 for a query without a scope. */
function scopeNumber(scope: Scope | undefined): number {
  if (scope === undefined) return 0;
  const number = scopeNumbers.get(scope) ?? ++scopes;
  scopeNumbers.set(scope, number);
  return number;
}

function nearest(known: readonly Kept[], range: CountRange): Kept | undefined {
  let [best, least]: [Kept | undefined, number] = [undefined, near];
  for (const one of known) {
    if (isSameRange(one.range, range)) return one;
    const distance = rangeDistance(one.range, range);
    if (distance <= least && one.count >= few) [best, least] = [one, distance];
  }
  return best;
}

/**
 * Compiles the number of current records in a range, starting from a kept one. It is null if that commit is not there any more, if versions
 * since were pruned, or if so many have changed that counting all takes less.
 */
function compileSince(
  query: BoundQuery,
  { table, forms: { dialect }, compilers, changed }: ReadableTable,
  { moment: { checkpoint }, moment, count, range: { low, high, rest }, range: from }: Kept,
  to: CountRange,
): CompiledSql {
  const [last, inRange] = [Number.MAX_SAFE_INTEGER, [low, high, rest].filter((one) => one !== undefined)];
  const versions = (state: Parameters<typeof changedConditions>[0]): BoundQuery => ({
    ...query,
    filter: allOf(...changedConditions(state), ...inRange),
  });
  const began = versions({ checkpoint: last, changes: { kind: "began", since: checkpoint, few: true } });
  const ended = versions({ checkpoint, changes: { kind: "ended", until: last, few: true } });
  const differing = (a: CountRange, b: CountRange) =>
    rangesWithout(a, b).map((filter) => compilers.plain.count({ ...query, filter }));
  return inOne(dialect, [
    "select case when ",
    render(isNear(table, moment, fewChanges + Math.floor(count / rowsPerChange)), dialect.placeholder),
    " then ",
    render(number(count), dialect.placeholder),
    " + (",
    changed.count(began, "current"),
    ") - (",
    changed.count(ended, "closed"),
    ") end",
    ...differing(to, from).flatMap((added) => [" + (", added, ")"]),
    ...differing(from, to).flatMap((removed) => [" - (", removed, ")"]),
  ]);
}

/** Condition that a commit is there, with all versions since, of which fewer than `most` began or ended. */
function isNear(table: TableSchema, { checkpoint, time }: Moment, most: number): SqlFragment {
  const since = (name: string, when: SqlFragment) =>
    sql`(select count(*) from (select 1 from ${identifier(name)} where ${when} > ${beginningValue(BigInt(checkpoint))} limit ${number(most)}) as "changed")`;
  const began = since(table.name, beginning);
  const ended = since(table.closed, identifier(validity.to.name));
  return sql`(select "committed_at" from "cadastre_commit" where "checkpoint" = ${number(checkpoint)}) = ${number(time)}
  and coalesce((select cast("text" as bigint) from "cadastre_note" where ${isPrunedNote}), 0) <= ${number(checkpoint)}
  and ${began} + ${ended} < ${number(most)}`;
}

const number = (given: number): SqlFragment => sql`cast(${value(BigInt(given))} as bigint)`;
