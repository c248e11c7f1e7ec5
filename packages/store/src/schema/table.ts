import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement/resources";
import {
  identifier,
  join,
  type PrimitiveType,
  type SqlFragment,
  type StructuralProperty,
  sql,
  value,
} from "@cadastre/odata/run";
import type { Member } from "../record/members.ts";
import type { Counted, Follows, StoredResource } from "../stored-resource.ts";

const version = (name: string): StructuralProperty => ({
  name,
  type: "Edm.Int64",
  collection: false,
  nullable: false,
});

/** The half-open range of checkpoints in which a version of a record is valid: `from` is included, `to` is not. */
export const validity = { from: version("cadastre_from"), to: version("cadastre_to") } as const;

/** Selects the number of the last commit; 0 before the first. */
export const lastCheckpoint: SqlFragment = sql`select coalesce(max("checkpoint"), 0) from "cadastre_commit"`;

/** Key of the note with the earliest checkpoint that can still be read. */
export const prunedNote = "cadastre_pruned";

/** Condition that a row of notes is that one. */
export const isPrunedNote: SqlFragment = sql`"key" = 'cadastre_pruned'`;

/** Indexed expression for the beginning of a version. `+ 0` keeps reads as of a checkpoint from using this index: they have better ones. */
export const beginning: SqlFragment = sql`(${identifier(validity.from.name)} + 0)`;

/** Stands for {@link beginning} in queries; no column has its name. */
export const versionBeginning: StructuralProperty = version("cadastre_beginning");

/**
 * A checkpoint to compare {@link beginning} with. `+ 0` takes the type affinity of the cast away: with it, SQLite does not use the
 * index.
 */
export const beginningValue = (checkpoint: number | bigint): SqlFragment =>
  sql`(cast(${value(checkpoint)} as bigint) + 0)`;

/** The source that a version came from; null if it was committed without one. */
export const sourceProperty: StructuralProperty = {
  name: "cadastre_source",
  type: "Edm.String",
  collection: false,
  nullable: true,
};

/** Columns of the encoded record and its checksum, see `EncodedRecord` and `recordChecksum`. */
export const recordColumns = {
  text: "cadastre_record",
  members: "cadastre_members",
  checksum: "cadastre_crc32",
} as const;

/** Expression for the record's text. The cast is needed because a driver may parse JSON into an object. */
export const recordText: SqlFragment = sql`cast(${identifier(recordColumns.text)} as text)`;

/** Columns of a staged change besides its key and source. A null record means a removal. */
export const stagedColumns = {
  batch: "cadastre_batch",
  dataset: "cadastre_dataset",
  record: "cadastre_record",
  hidden: "cadastre_hidden",
} as const;

/**
 * Schema of a table, for both databases. Current and closed versions are in two tables with the same columns, except for the end of the
 * validity.
 */
export type TableSchema = {
  readonly name: string;
  /** Name of the table of closed versions. */
  readonly closed: string;
  /** Name of the table of staged changes. */
  readonly staged: string;
  readonly key: readonly StructuralProperty[];
  /** See `StoredResource.shared`. */
  readonly shared: boolean;
  /** The typed columns: the key, the columns of the resource, the dataset, the source and the hidden ones. */
  readonly columns: readonly StructuralProperty[];
  readonly indexes: readonly IndexSchema[];
  /** Indexes whose first column other than the dataset is a case-folded text, for `$ignorecase`. */
  readonly folded: readonly IndexSchema[];
  /** Names of indexes of the first schema, see `StoredResource.formerIndexes`. */
  readonly formerIndexes: readonly string[];
  readonly points: readonly PointSchema[];
  readonly texts: readonly TextSchema[];
  readonly hidden: readonly StructuralProperty[];
  readonly derived: StoredResource["derived"];
  readonly follows: Follows | undefined;
  readonly counted: Counted | undefined;
  /** Names of the indexes on the beginnings of current versions and on the ends of closed ones. */
  readonly beginnings: string;
  readonly endings: string;
};

/** Names of the columns that identify a staged change. */
export const stagedKey = ({ key, shared }: Pick<TableSchema, "key" | "shared">): readonly string[] => [
  ...key.map(({ name }) => name),
  ...(shared ? [] : [stagedColumns.dataset]),
  sourceProperty.name,
];

/**
 * Condition that rows of current or closed versions are of one record. It names the dataset, so that only rows of one partition are
 * compared. Records that all datasets share have keys without a dataset.
 *
 * @param left name of a table, or its alias
 */
export const isSameRecord = (
  { key, shared }: TableSchema,
  left: SqlFragment,
  right: SqlFragment,
): SqlFragment =>
  join(
    [...key, ...(shared ? [] : [datasetProperty])].map(
      ({ name }) => sql`${left}.${identifier(name)} = ${right}.${identifier(name)}`,
    ),
    " and ",
  );

/** The table of a resource, and the members of its records by name. */
export type StoredTable = {
  readonly table: TableSchema;
  readonly members: ReadonlyMap<string, Member>;
};

export type IndexSchema = { readonly name: string; readonly columns: readonly StructuralProperty[] };

/** A column of points, and the name of its spatial index. */
export type PointSchema = { readonly name: string; readonly column: StructuralProperty };

/** A column of texts, and the name of its trigram index. */
export type TextSchema = { readonly name: string; readonly column: StructuralProperty };

/** The part of a {@link TableSchema} that can be passed to another thread: names of the table and of its columns with an index of their own. */
export type CheckedTable = {
  readonly name: string;
  readonly points: readonly CheckedIndex[];
  readonly texts: readonly CheckedIndex[];
};

export type CheckedIndex = { readonly name: string; readonly column: { readonly name: string } };

/** @throws {RangeError} if a column or an index names an unknown property or one of the wrong type, or if a name is too long */
export function tableOf(resource: StoredResource): TableSchema {
  const {
    entitySet,
    columns,
    indexes,
    points = [],
    texts = [],
    folded = [],
    hidden = [],
    follows,
    counted,
  } = resource;
  const { formerIndexes = [] } = resource;
  const { name, type } = entitySet;
  const find = (column: string) => {
    const property = type.properties.get(column);
    if (property === undefined)
      throw new RangeError(`${name} has no property ${column} to store in a column`);
    return property;
  };
  const stored = [...new Set([...type.key, ...columns])]
    .map(find)
    .concat(datasetProperty, sourceProperty, hidden);
  const findColumn = (column: string) => {
    const property = stored.find((one) => one.name === column);
    if (property === undefined) throw new RangeError(`${name} has no column ${column} to index`);
    return property;
  };
  const findText = (column: string) => requireType(findColumn(column), "Edm.String", "text");
  const findPoint = (column: string) => requireType(findColumn(column), "Edm.GeographyPoint", "point");
  if (follows !== undefined)
    for (const column of [follows.key, ...Object.keys(follows.values)]) findColumn(column);
  if (follows !== undefined && Object.hasOwn(follows.values, datasetProperty.name))
    throw new RangeError(`${name} follows records of its own dataset, and cannot copy it`);
  if (counted !== undefined)
    for (const column of [counted.system, ...counted.places.map((place) => place.column)]) findText(column);
  for (const { name: column } of [{ name: `${name}_closed_key` }, ...stored]) requireShort(column);
  return {
    name,
    closed: `${name}_closed`,
    staged: `${name}_staged`,
    key: type.key.map(find),
    shared: resource.shared ?? false,
    columns: stored,
    indexes: indexes.map((indexed) => ({
      name: shortened(`${name}_${indexed.join("_")}`),
      columns: indexed.map(findColumn),
    })),
    folded: folded.map((indexed) => ({
      name: shortened(`${name}_${indexed.join("_")}_folded`),
      columns: indexed.map((column, i) =>
        i === (indexed[0] === datasetProperty.name ? 1 : 0) ? findText(column) : findColumn(column),
      ),
    })),
    formerIndexes: formerIndexes.map((parts) => shortened(`${name}_${parts.join("_")}`)),
    points: points.map((point) => ({
      name: shortened(`${name}_${point}_place`),
      column: findPoint(point),
    })),
    texts: texts.map((text) => ({ name: shortened(`${name}_${text}_grams`), column: findText(text) })),
    hidden,
    derived: resource.derived,
    follows,
    counted,
    beginnings: shortened(`${name}_beginnings`),
    endings: `${name}_closed_to`,
  };
}

/**
 * Returns the column with the dataset of the record that a row follows, directly or in several steps. Its value is null if that record
 * does not exist. Undefined for a table whose rows follow nothing.
 */
export function ownerColumn({ follows }: TableSchema, tables: readonly TableSchema[]): string | undefined {
  if (follows === undefined) return undefined;
  const followed = tables.find(({ name }) => name === follows.resource);
  const kept = (followed && ownerColumn(followed, tables)) ?? datasetProperty.name;
  return Object.entries(follows.values).find(([, column]) => column === kept)?.[0];
}

function requireType(property: StructuralProperty, type: PrimitiveType, kind: string): StructuralProperty {
  const { name, collection } = property;
  if (property.type !== type || collection) throw new RangeError(`${name} is no ${kind} to index`);
  return property;
}

/** Longest name of a table, column or index, in bytes of UTF-8: PostgreSQL truncates longer ones. */
const longestName = 63;

function requireShort(name: string): void {
  if (Buffer.byteLength(name) > longestName)
    throw new RangeError(`${name} is too long for a name in the database`);
}

/** Returns the name; if it is too long, truncated and with its hash at the end. */
export function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${Buffer.from(name)
    .subarray(0, longestName - 13)
    .toString()
    .replace(/\uFFFD$/u, "")}_${hash}`;
}
