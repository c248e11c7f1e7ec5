import { datasetProperty } from "@cadastre/entitlement";
import { StoreError } from "../errors.ts";
import { columnValues, type FormOf } from "../record/column-values.ts";
import { type EncodedRecord, encodeRecord, requireEncodable } from "../record/encode.ts";
import type { Member } from "../record/members.ts";
import { recordChecksum } from "../record/record-checksum.ts";
import { sourceProperty, type TableSchema } from "../schema/table.ts";
import type { Change, RemovedRecord, StoredRecord } from "../store.ts";

/** A version of a record, ready to be written. */
export type Version = EncodedRecord & {
  /** Values of the table's columns in database form, starting with the key. */
  readonly values: readonly unknown[];
  readonly checksum: number;
};

/** The dataset and key of a record to remove. The key is in database form. */
export type RemovedKey = Pick<RemovedRecord, "resource" | "datasetId"> & { readonly key: readonly unknown[] };

/** A record whose version was made before the commit, see `openSqliteEncoder`. */
export type EncodedChange = Pick<StoredRecord, "resource" | "datasetId"> & { readonly version: Version };

/** A change in one of the forms that a commit accepts. */
export type PendingChange = Change | RemovedKey;

/**
 * Encodes a record.
 *
 * @throws {StoreError} `invalid_record`
 */
export function versionOf(
  stored: StoredRecord,
  table: TableSchema,
  members: ReadonlyMap<string, Member>,
  formOf: FormOf,
): Version {
  const values = valuesOf(stored, table, formOf);
  const encoded = encodeRecord(stored.record, members);
  return { values, ...encoded, checksum: recordChecksum(stored.datasetId, encoded.members, encoded.text) };
}

/**
 * Returns the key of a record, in database form. Does the checks of {@link versionOf}, without the work of encoding the record.
 *
 * @throws {StoreError} as {@link versionOf}
 */
export function keyOfValid(
  stored: StoredRecord,
  table: TableSchema,
  members: ReadonlyMap<string, Member>,
  formOf: FormOf,
): readonly unknown[] {
  const values = valuesOf(stored, table, formOf);
  requireEncodable(stored.record, members);
  return values.slice(0, table.key.length);
}

function valuesOf(
  { datasetId, record, hidden, source }: StoredRecord,
  { name: resource, columns, key, shared }: TableSchema,
  formOf: FormOf,
): readonly unknown[] {
  requireDataset(datasetId, resource, shared);
  const jsonOf = (name: string): unknown => {
    if (name === datasetProperty.name) return datasetId;
    if (name === sourceProperty.name) return source;
    return hidden !== undefined && Object.hasOwn(hidden, name) ? hidden[name] : record[name];
  };
  const values = columnValues(columns, jsonOf, formOf);
  if (values.slice(0, key.length).includes(null))
    throw new StoreError("invalid_record", `it has no ${key.map(({ name }) => name).join(", ")}`);
  return values;
}

function requireDataset(datasetId: string | null, resource: string, shared: boolean): void {
  if (datasetId === null && !shared)
    throw new StoreError("invalid_record", `a record of ${resource} has no dataset`);
}

/**
 * Refuses a change that a commit of one dataset may not make.
 *
 * @throws {StoreError} `invalid_record`
 */
export function requireOwnDataset(
  change: PendingChange | EncodedChange,
  datasetId: string,
  { name, shared }: TableSchema,
): void {
  if (shared)
    throw new StoreError("invalid_record", `${name} is shared, so its records are in no commit of a dataset`);
  if (change.datasetId !== datasetId)
    throw new StoreError("invalid_record", "it belongs to another dataset than the commit");
}

/**
 * Returns the key of a record to remove, in database form.
 *
 * @throws {StoreError} `invalid_record`
 */
export function removalKey(
  change: RemovedRecord | RemovedKey,
  { name, key, shared }: TableSchema,
  formOf: FormOf,
): readonly unknown[] {
  requireDataset(change.datasetId, name, shared);
  if ("key" in change) return change.key;
  const { removed } = change;
  const jsonOf = (name: string): unknown => removed[key.findIndex((property) => property.name === name)];
  return columnValues(key, jsonOf, formOf);
}
