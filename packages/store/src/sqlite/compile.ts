import {
  allOf,
  type BoundQuery,
  type CompiledSql,
  compileMergedCount,
  compileMergedPage,
  compilePage,
  compileValue,
  identifier,
  join,
  type Mapping,
  render,
  type SqlFragment,
  type StructuralProperty,
  sql,
  sqlite,
  type ValueType,
  value,
} from "@cadastre/odata";
import { asOf, type VersionMapping } from "../read/versions.ts";
import type { Planned } from "../record/plans.ts";
import { type TableSchema, validity } from "../schema/table.ts";
import type { Bookmark } from "../store.ts";
import { CurrentCompiler, columnsOfRecord } from "./compiler.ts";
import type { CountRequest, PageRequest, Versions } from "./request.ts";

/** A resource as its reads are compiled. */
export type ReadableTable = {
  readonly table: TableSchema;
  readonly mapping: VersionMapping;
  readonly compiler: CurrentCompiler;
};

export const readableTable = (table: TableSchema, mapping: VersionMapping): ReadableTable => ({
  table,
  mapping,
  compiler: new CurrentCompiler(table, mapping.current),
});

const valueTypeOf = ({ type, collection }: StructuralProperty): ValueType =>
  collection ? `Collection(${type})` : type;

/** A page of what is there now, or with `at` as of that checkpoint. */
export function compilePageRequest(
  query: BoundQuery,
  readable: ReadableTable,
  planned: Planned,
  at: number | undefined,
): PageRequest {
  const { table, compiler } = readable;
  const ofRecord = columnsOfRecord(table);
  const columns = (of: Mapping): readonly SqlFragment[] => [
    ...ofRecord,
    ...planned.computed.map((projection) => compileValue(query, projection, sqlite, of)),
  ];
  // One record more than asked for tells whether there is a next page.
  const asked = { ...query, top: query.top + 1 };
  const ordered =
    planned.computed.length === 0
      ? compiler.orderedPage(at === undefined ? asked : then(asked, at))
      : undefined;
  return {
    ordered: ordered && { statement: ordered, visits: visitsFor(asked.top) },
    ...compileVersions(
      asked,
      readable,
      at,
      (over, of) =>
        planned.computed.length === 0
          ? compiler.page(over)
          : compilePage(over, sqlite, of, { columns: columns(of) }),
      (over, partitions) => compileMergedPage(over, sqlite, partitions, columns),
    ),
    top: query.top,
    key: table.key.length,
    plan: { id: planned.id, plan: planned.plan },
    computed: planned.computed.map(({ property }) => ({
      name: property.name,
      type: valueTypeOf(property),
    })),
  };
}

/** The number of records that there are now, or with `at` as of that checkpoint. */
export const compileCountRequest = (
  query: BoundQuery,
  readable: ReadableTable,
  at: number | undefined,
): CountRequest => ({
  unguarded: at === undefined ? readable.compiler.unguardedCount(query) : undefined,
  ...compileVersions(
    query,
    readable,
    at,
    (over) => readable.compiler.count(over),
    (over, partitions) => compileMergedCount(over, sqlite, partitions),
  ),
});

/** The query over versions that had begun by `checkpoint`. */
const then = (query: BoundQuery, checkpoint: number): BoundQuery => ({
  ...query,
  filter: allOf(asOf(checkpoint), query.filter),
});

/** Rows to look at in the query's order before it is given up: what a sort of some thousand rows costs. */
const visitsFor = (top: number): number => 2000 + 20 * top;

/**
 * The order's values in the record of a bookmark, as it was at its checkpoint: what the page after it starts from.
 * One of the statements gives them, even if the record is deleted.
 */
export function compileOrderValues(
  query: BoundQuery,
  { table, mapping }: ReadableTable,
  { checkpoint, key }: Bookmark,
): readonly CompiledSql[] {
  const isOfKey = table.key.map(({ name }, i) => sql`${identifier(name)} = ${value(key[i])}`);
  const one = { ...query, filter: asOf(checkpoint), top: 1, skip: 0, after: null };
  return [mapping.current, mapping.closedSince(checkpoint, "all")].map((versions) => {
    const where = join(versions.where === undefined ? isOfKey : [versions.where, ...isOfKey], " and ");
    return compilePage(one, sqlite, { ...versions, where }, { columns: [], order: true });
  });
}

type Compile<Over> = (query: BoundQuery, over: Over) => CompiledSql;

function compileVersions(
  query: BoundQuery,
  { table, mapping }: ReadableTable,
  at: number | undefined,
  compile: Compile<Mapping>,
  compileMerged: Compile<readonly Mapping[]>,
): Versions {
  if (at === undefined) return { current: compile(query, mapping.current) };
  const versions = then(query, at);
  const closed = mapping.closedSince(at, "present");
  return {
    current: compile(versions, mapping.current),
    asOf: {
      checkpoint: at,
      closings: compileClosings(table, at),
      merged: compileMerged(versions, [mapping.current, closed]),
    },
  };
}

/** A row if a version was closed since. */
const compileClosings = ({ closed }: TableSchema, checkpoint: number): CompiledSql => {
  const later = sql`${identifier(validity.to.name)} > ${value(BigInt(checkpoint))}`;
  return render(sql`select 1 from ${identifier(closed)} where ${later} limit 1`, sqlite.placeholder);
};
