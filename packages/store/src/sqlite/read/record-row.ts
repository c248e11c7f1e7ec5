import { type RecordForm, writeRecords } from "@cadastre/odata/run";
import type { MemberIndex } from "../../record/member-index.ts";

/** Allocates the buffers of pages. */
export type Memory = {
  /** Returns a buffer of at least `bytes` bytes. */
  readonly take: (bytes: number) => Buffer;
  readonly giveBack: (memory: ArrayBuffer) => void;
};

/** Columns: number of the dataset, text, member index, checksum, then the key and the computed values. */
export type RecordRow = [bigint | null, Uint8Array, MemberIndex, bigint | null, ...unknown[]];

/** Number of columns before those of the key. */
export const beforeKey = 4;

/** Converts records to the requested form, and returns their buffer to the pool. */
export function inForm(records: Uint8Array, form: RecordForm | undefined, memory: Memory): Uint8Array {
  if (form === undefined) return records;
  const written = writeRecords(records, form, memory.take);
  memory.giveBack(records.buffer as ArrayBuffer);
  return written;
}
