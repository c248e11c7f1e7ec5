import { datasetProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import { columnValues, type FormOf } from "../read/columns.ts";
import { type EncodedRecord, encodeRecord } from "../record/encode.ts";
import type { Member } from "../record/members.ts";
import type { TableSchema } from "../schema/table.ts";
import type { RemovedRecord, StoredRecord } from "../store.ts";

/** A version of a record as it is written. */
export type Version = EncodedRecord & {
  /** Values of the table's columns in database form; the first ones are the key's. */
  readonly values: readonly unknown[];
};

/** @throws {StoreError} `invalid_record` */
export function versionOf(
  { datasetId, record, hidden }: StoredRecord,
  { columns, key }: TableSchema,
  members: ReadonlyMap<string, Member>,
  formOf: FormOf,
): Version {
  const row: Row = { ...record, ...hidden, [datasetProperty.name]: datasetId };
  const values = columnValues(columns, row, formOf);
  if (values.slice(0, key.length).includes(null))
    throw new StoreError("invalid_record", `it has no ${key.map(({ name }) => name).join(", ")}`);
  return { values, ...encodeRecord(record, members) };
}

/** The key of a record to remove, in database form. */
export const keyOf = ({ removed }: RemovedRecord, { key }: TableSchema, formOf: FormOf): readonly unknown[] =>
  columnValues(key, Object.fromEntries(key.map(({ name }, i) => [name, removed[i]])), formOf);
