import { type AllocateBuffer, type RecordForm, writeRecords } from "@cadastre/odata/run";
import type { MemberIndex } from "../../record/member-index.ts";

/** Columns: number of the dataset, text, member index, checksum as a number or its digits, then the key and the computed values. */
export type RecordRow = [bigint | null, Uint8Array, MemberIndex, bigint | string | null, ...unknown[]];

/** Number of columns before those of the key. */
export const beforeKey = 4;

/** Converts records to the requested form. */
export const inForm = (
  records: Uint8Array,
  form: RecordForm | undefined,
  allocate: AllocateBuffer,
): Uint8Array => (form === undefined ? records : writeRecords(records, form, allocate));
