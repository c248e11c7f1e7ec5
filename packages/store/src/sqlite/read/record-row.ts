import { type AllocateBuffer, type RecordForm, writeRecords } from "@cadastre/odata/run";
import { RecordAssembler, type RecordLayout } from "../../record/assemble.ts";
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

/** Returns the size of a buffer for a page of the first `length` rows, in bytes. */
export function capacityForRows(rows: readonly RecordRow[], length: number, layout: RecordLayout): number {
  let texts = 0;
  let longest = 0;
  for (let i = 0; i < length; i++) {
    const bytes = (rows[i] as RecordRow)[1].length;
    texts += bytes;
    if (bytes > longest) longest = bytes;
  }
  return RecordAssembler.capacity(layout, length, texts, longest);
}
