import { crc32 } from "node:zlib";
import { StoreError } from "../errors.ts";
import type { MemberIndex } from "./member-index.ts";

/**
 * Returns the CRC-32 of a stored record: of its text, its member index and the dataset that decides who may see it. It is written with
 * the record and compared when the record is read, so that a bit that has changed on the disk is noticed before it is served.
 *
 * @param text JSON text, as a string or in UTF-8
 */
export const recordChecksum = (
  datasetId: string | null,
  members: MemberIndex,
  text: string | Uint8Array,
): number => crc32(text, crc32(`${datasetId ?? ""}\0${members}`));

/**
 * Compares a record with its stored checksum.
 *
 * @param checksum value from the database
 * @param keyOf returns the record's key, for the error
 * @throws {StoreError} `record_damaged`
 */
export function requireUndamaged(
  datasetId: string | null,
  text: Uint8Array,
  members: MemberIndex,
  checksum: unknown,
  keyOf: () => readonly unknown[],
): void {
  if (Number(checksum) !== recordChecksum(datasetId, members, text))
    throw new StoreError("record_damaged", keyOf().join(", "));
}
