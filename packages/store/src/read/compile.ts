import { type BoundQuery, type CompiledSql, compilePage, type Mapping, sql } from "@cadastre/odata";
import { compileMergedCount, compileMergedPage, nearestPhases } from "@cadastre/odata/compile";
import { join } from "@cadastre/odata/run";
import { allOf, conjuncts } from "@cadastre/odata/tree";
import { type Planned, valueTypeOf } from "../record/plan.ts";
import type { StoredTable, TableSchema } from "../schema/table.ts";
import type { Bookmark } from "../store.ts";
import { type Access, isInTexts, mappingInOrderOf, pinsKey, readsPoints } from "./access.ts";
import type { ChangedCompilers } from "./changed-compiler.ts";
import type { CurrentCompilers } from "./current-compiler.ts";
import { columnsOfPage, type ReadForms } from "./forms.ts";
import type { CountRequest, PageRequest, VersionStatements } from "./request.ts";
import type { HistoricalState } from "./versions.ts";
import { begunBy, changedConditions, type VersionMapping } from "./versions.ts";

/** A stored resource, with the mappings and compilers of its reads. */
export type ReadableTable = StoredTable & {
  readonly mapping: VersionMapping;
  readonly forms: ReadForms;
  readonly compilers: CurrentCompilers;
  readonly changed: ChangedCompilers;
  readonly accessTo: (query: BoundQuery) => Access;
};

/** Options of a page request. */
export type PageForm = {
  readonly planned: Planned;
  /** See `ReadOptions`. */
  readonly lines: boolean;
  readonly keys: boolean;
  /** The past state to read; undefined for the current one. */
  readonly past: HistoricalState | undefined;
};

export function compilePageRequest(
  query: BoundQuery,
  readable: ReadableTable,
  { planned, lines, keys, past }: PageForm,
): PageRequest {
  const { table, forms, compilers, accessTo } = readable;
  const compiler = compilers.of(query, planned);
  const { dialect } = forms;
  const access = accessTo(query);
  const { ordered: index } = access;
  const columns = (of: Mapping) => columnsOfPage(query, planned, table, forms, of);
  // One extra record shows if there is a next page.
  const asked = { ...query, top: query.top + 1 };
  const [first = asked, ...further] = phasesOf(asked, table) ?? [];
  const versionsOf = (phase: BoundQuery) =>
    compileChanged(phase, readable, planned, past) ??
    compileVersions(
      phase,
      readable,
      past,
      (over) => compiler.page(over, access),
      (over, partitions) =>
        compileMergedPage(
          over,
          dialect,
          partitions.map((one) =>
            index !== undefined && one === readable.mapping.current
              ? mappingInOrderOf(index, one)
              : { ...one, ranges: false },
          ),
          columns,
        ),
    );
  const ordered =
    index !== undefined && past?.changes === undefined
      ? compiler.ordered?.(past === undefined ? asked : then(asked, past), index)
      : undefined;
  return {
    ordered: ordered && { statement: ordered, visits: visitsFor(asked, table) },
    ...versionsOf(first),
    further: further.map(versionsOf),
    skip: asked.skip - first.skip,
    top: query.top,
    lines,
    keys,
    key: table.key.length,
    plan: { id: planned.id, plan: planned.plan },
    computed: planned.computed.map(({ property }) => ({
      name: property.name,
      type: valueTypeOf(property),
    })),
  };
}

/**
 * Splits a query ordered by distance into several queries, so that a spatial index serves each of them, see `nearestPhases`.
 * Their rows one after another are the rows of the query. Undefined for any other query.
 */
function phasesOf(query: BoundQuery, { points }: TableSchema): readonly BoundQuery[] | undefined {
  const expression = query.orderBy[0]?.expression;
  if (expression?.kind !== "Call" || !readsPoints(expression, points) || pinsKey(query)) return undefined;
  return nearestPhases(query) ?? undefined;
}

/** Compiles the count of the records in the current or a past state. */
export const compileCountRequest = (
  query: BoundQuery,
  readable: ReadableTable,
  past: HistoricalState | undefined,
): CountRequest => ({
  unguarded: past === undefined ? readable.compilers.plain.unguarded?.(query) : undefined,
  ...compileVersions(
    query,
    readable,
    past,
    (over) => readable.compilers.plain.count(over),
    (over, partitions) => compileMergedCount(over, readable.forms.dialect, partitions),
  ),
});

/** Restricts a query to versions that had begun by a checkpoint. */
const then = (query: BoundQuery, { checkpoint }: Pick<HistoricalState, "checkpoint">): BoundQuery => ({
  ...query,
  filter: allOf(begunBy(checkpoint), query.filter),
});

/**
 * Number of rows to read in the query's order before giving up: costs as much as sorting some thousand rows. If a trigram index finds the
 * rows, fewer: they are enough to fill a page with those of a common word, for which the index would find too many.
 */
const visitsFor = ({ filter, top }: BoundQuery, { texts }: TableSchema): number =>
  texts.length > 0 && conjuncts(filter).some((condition) => isInTexts(condition, texts))
    ? 300 + 5 * top
    : 2000 + 20 * top;

/**
 * Compiles statements for the order values of a bookmark's record, as of its checkpoint: the next page starts after them. One of the
 * statements returns them, even if the record has been deleted since.
 */
export function* compileOrderValues(
  query: BoundQuery,
  { table, mapping, forms: { dialect } }: ReadableTable,
  { checkpoint, key }: Bookmark,
): Generator<CompiledSql> {
  const isOfKey = table.key.map((property, i) => {
    const { sql: column, encoding = dialect.columnEncodings[property.type] } =
      mapping.current.column(property);
    return sql`${column} = ${dialect.operand(key[i], property.type, encoding)}`;
  });
  const one = { ...query, filter: begunBy(checkpoint), top: 1, skip: 0, after: null };
  for (const versions of [mapping.current, mapping.closedSince(checkpoint, "all")]) {
    const where = join(versions.where === undefined ? isOfKey : [versions.where, ...isOfKey], " and ");
    yield compilePage(one, dialect, { ...versions, where }, { columns: [], order: true });
  }
}

function compileVersions(
  query: BoundQuery,
  readable: ReadableTable,
  past: HistoricalState | undefined,
  compile: (query: BoundQuery) => CompiledSql,
  compileMerged: (query: BoundQuery, over: readonly Mapping[]) => CompiledSql,
): VersionStatements {
  const { mapping } = readable;
  if (past === undefined) return { current: compile(query) };
  if (past.changes !== undefined) {
    const changed = changedIn(query, past, past.changes);
    const { current, closed } = mapping.changed(past.changes.few);
    if (past.changes.kind === "ended") return { current: compileMerged(changed, [closed]) };
    return { current: compileMerged(changed, [current]), merged: compileMerged(changed, [current, closed]) };
  }
  const versions = then(query, past);
  const closed = mapping.closedSince(past.checkpoint, past.closed);
  return {
    current: compile(versions),
    merged: compileMerged(versions, [mapping.current, closed]),
  };
}

/** Restricts a query to versions that a state has and a change selects. */
const changedIn = (
  query: BoundQuery,
  { checkpoint }: HistoricalState,
  changes: NonNullable<HistoricalState["changes"]>,
): BoundQuery => ({
  ...query,
  filter: allOf(...changedConditions({ checkpoint, changes }), query.filter),
});

/** Compiles a page of versions that began or ended between checkpoints; undefined if it reads no changes. */
function compileChanged(
  query: BoundQuery,
  { changed }: ReadableTable,
  planned: Planned,
  past: HistoricalState | undefined,
): VersionStatements | undefined {
  if (past?.changes === undefined) return undefined;
  const { kind, few } = past.changes;
  const versions = changedIn(query, past, past.changes);
  if (kind === "ended") return { current: changed.page(versions, planned, "closed", few) };
  return {
    current: changed.page(versions, planned, "current", few),
    merged: changed.page(versions, planned, "both", few),
  };
}
