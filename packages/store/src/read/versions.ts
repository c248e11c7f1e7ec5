import {
  type BoundNode,
  type Column,
  identifier,
  type Mapping,
  type SqlFragment,
  type StructuralProperty,
  sql,
} from "@cadastre/odata";
import type { PointIndex, TextIndex } from "@cadastre/odata/compile";
import { join, value } from "@cadastre/odata/run";
import { propertyNode } from "@cadastre/odata/tree";
import {
  beginning,
  isSameRecord,
  type PointSchema,
  type TableSchema,
  type TextSchema,
  validity,
  versionBeginning,
} from "../schema/table.ts";
import type { ReadOptions } from "../store.ts";

/**
 * The versions closed since a checkpoint that a read includes: all of them, or only those of records that still have a current
 * version.
 */
type ClosedVersions = "all" | "present";

/** The checkpoint to read as of, and which closed versions to include. */
export type HistoricalState = {
  readonly checkpoint: number;
  readonly closed: ClosedVersions;
  /** If set, only the records changed since or until another checkpoint are read. */
  readonly changes?: Changes | undefined;
};

/** Limits the versions of a state to those that began after an earlier checkpoint, or to those that ended by a later one. */
type Changes = (
  | { readonly kind: "began"; readonly since: number }
  | { readonly kind: "ended"; readonly until: number }
) & {
  /**
   * True if only few versions changed, so that the index on their beginning or end is better than one in the query's order.
   */
  readonly few: boolean;
};

/**
 * Returns the state that a page reads; undefined for the current one.
 *
 * @param isFew returns true if only few versions began or ended after a checkpoint. By default it is always true: PostgreSQL's planner
 * decides by its own statistics.
 */
export function pastOf(
  { asOf, since, until, from }: Pick<ReadOptions, "asOf" | "since" | "until" | "from">,
  isFew: (checkpoint: number) => boolean = () => true,
): HistoricalState | undefined {
  if (asOf === undefined) {
    if (since !== undefined || until !== undefined)
      throw new RangeError("changes are read as of a checkpoint");
    return from && { checkpoint: from.checkpoint, closed: "present" };
  }
  if (from !== undefined && from.checkpoint !== asOf)
    throw new RangeError(`a bookmark of checkpoint ${from.checkpoint} cannot go on as of ${asOf}`);
  if (since !== undefined && until !== undefined)
    throw new RangeError("either what began or what ended is read");
  const past = { checkpoint: asOf, closed: "all" } as const;
  if (since !== undefined) return { ...past, changes: { kind: "began", since, few: isFew(since) } };
  if (until !== undefined) return { ...past, changes: { kind: "ended", until, few: isFew(asOf) } };
  return past;
}

/** Maps the versions of a resource to tables. */
export type VersionMapping = {
  readonly current: Mapping;
  /** The versions closed since `checkpoint`. */
  readonly closedSince: (checkpoint: number, which: ClosedVersions) => Mapping;
  /**
   * The versions that began or ended between two checkpoints, found by conditions on {@link versionBeginning} and `validity.to`.
   *
   * @param few see {@link Changes}
   */
  readonly changed: (few: boolean) => ChangedVersions;
};

/** The current versions and the closed ones. A current version ends never: any `validity.to` is beyond all checkpoints. */
type ChangedVersions = { readonly current: Mapping; readonly closed: Mapping };

/** The indexes of columns that queries name themselves. */
type ColumnIndexes = {
  readonly pointIndexOf: (table: TableSchema, point: PointSchema) => PointIndex;
  readonly textIndexOf: (table: TableSchema, text: TextSchema) => TextIndex;
};

/** Returns a table reference that makes the database use an index. */
export type ByIndex = (table: SqlFragment, index: string) => SqlFragment;

/**
 * Creates the mapping of a resource.
 *
 * @param indexesOf returns the spatial index of a location column and the trigram index of a column of texts, for current versions
 * @param byIndex forces an index, for a database that cannot estimate when an index leaves few rows
 * @param guard a condition that every scan evaluates first
 * @param row name of the identity of a row, for a database that sorts whole rows
 */
export function versionMapping(
  table: TableSchema,
  column: (property: StructuralProperty) => Column,
  { pointIndexOf, textIndexOf }: ColumnIndexes,
  byIndex: ByIndex = (name) => name,
  guard?: Mapping["where"],
  row?: SqlFragment,
): VersionMapping {
  const indexes = new Map<string, Pick<Column, "index" | "texts">>([
    ...table.points.map((point) => [point.column.name, { index: pointIndexOf(table, point) }] as const),
    ...table.texts.map((text) => [text.column.name, { texts: textIndexOf(table, text) }] as const),
  ]);
  const [current, closed] = [identifier(table.name), identifier(table.closed)];
  const guarded = guard === undefined ? {} : { where: guard };
  const sameRecord = isSameRecord(table, current, closed);
  const stillThere = sql`exists (select 1 from ${current} where ${sameRecord})`;
  const to = identifier(validity.to.name);
  const after = (when: SqlFragment, checkpoint: number) => sql`${when} > ${value(BigInt(checkpoint))}`;
  const where = (...conditions: readonly SqlFragment[]) =>
    join([...(guard === undefined ? [] : [guard]), ...conditions], " and ");
  return {
    current: {
      from: current,
      column: (property) => ({ ...column(property), ...indexes.get(property.name) }),
      ...guarded,
    },
    closedSince: (checkpoint, which) => {
      const later = after(to, checkpoint);
      return {
        from: closed,
        column,
        where: which === "present" ? where(later, stillThere) : where(later),
      };
    },
    changed: (few) => {
      const by = (name: SqlFragment, index: string) => (few ? byIndex(name, index) : name);
      // Columns that the database looks up in an index, or expressions that no index serves.
      const beginningColumn = { sql: few ? beginning : identifier(validity.from.name) };
      const endColumn = { sql: few ? to : sql`(${to} + 0)` };
      // A page in the order of an index is not sorted.
      const identityIn = (from: SqlFragment): Pick<Mapping, "identity"> =>
        row !== undefined && few ? { identity: { from, row: sql`${from}.${row}` } } : {};
      const columnWith = (end: Column) => (property: StructuralProperty) => {
        if (property === versionBeginning) return beginningColumn;
        return property === validity.to ? end : column(property);
      };
      return {
        current: {
          from: by(current, table.beginnings),
          column: columnWith({ sql: never }),
          ...guarded,
          ...identityIn(current),
        },
        closed: {
          from: by(closed, table.endings),
          column: columnWith(endColumn),
          ...guarded,
          ...identityIn(closed),
        },
      };
    },
  };
}

/** End of a version that has none: the largest number of 64 bits. */
const never = sql`9223372036854775807`;

const compareVersion = (
  property: StructuralProperty,
  comparator: "gt" | "le",
  checkpoint: number,
): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left: propertyNode(property),
  right: { kind: "Constant", type: "Edm.Int64", value: BigInt(checkpoint) },
});

/** Returns the condition that a version had begun by `checkpoint`. */
export const begunBy = (checkpoint: number): BoundNode => compareVersion(validity.from, "le", checkpoint);

/** Returns the conditions of versions that a state has and a change selects, for {@link VersionMapping.changed}. */
export function changedConditions({
  checkpoint,
  changes,
}: Pick<HistoricalState, "checkpoint"> & { readonly changes: Changes }): readonly BoundNode[] {
  const current = [begunBy(checkpoint), compareVersion(validity.to, "gt", checkpoint)];
  return changes.kind === "began"
    ? [...current, compareVersion(versionBeginning, "gt", changes.since)]
    : [...current, compareVersion(validity.to, "le", changes.until)];
}
