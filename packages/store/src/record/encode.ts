import type { Row } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import type { Member } from "./members.ts";
import { storedText } from "./stored-value.ts";
import { varintLength, writeVarint } from "./varint.ts";

/** A record as it is stored, so that an answer is copied from it and never built. */
export type EncodedRecord = {
  /** JSON text of every member that has a value, by the order of their numbers. */
  readonly text: string;
  /**
   * For each member in the text: how much its number is above that of the one before, and how many bytes of UTF-8
   * it takes with the brace or comma before it, both as varints.
   */
  readonly members: Uint8Array;
};

type Piece = { readonly ordinal: number; readonly text: string };

/**
 * Encode a record in JSON form.
 *
 * @throws {StoreError} `invalid_record` if a member is unknown or its value is none of its type.
 */
export function encodeRecord(record: Row, members: ReadonlyMap<string, Member>): EncodedRecord {
  const pieces: Piece[] = [];
  let sorted = true;
  for (const name in record) {
    const json = record[name];
    if (json === null || json === undefined || (Array.isArray(json) && json.length === 0)) continue;
    const member = members.get(name);
    if (member === undefined) throw new StoreError("invalid_record", `it has an unknown member ${name}`);
    const { ordinal } = member;
    sorted &&= ordinal > (pieces.at(-1)?.ordinal ?? -1);
    pieces.push({ ordinal, text: `${JSON.stringify(name)}:${storedText(json, member.property)}` });
  }
  if (!sorted) pieces.sort((a, b) => a.ordinal - b.ordinal);
  const text = `{${pieces.map((piece) => piece.text).join(",")}}`;
  return { text, members: indexOf(pieces, Buffer.byteLength(text) === text.length) };
}

function indexOf(pieces: readonly Piece[], ascii: boolean): Uint8Array {
  const lengths = pieces.map(({ text }) => 1 + (ascii ? text.length : Buffer.byteLength(text)));
  const steps = pieces.map(({ ordinal }, i) => ordinal - (pieces[i - 1]?.ordinal ?? -1));
  let size = 0;
  for (const [i, step] of steps.entries()) size += varintLength(step) + varintLength(lengths[i] ?? 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const [i, step] of steps.entries()) {
    at = writeVarint(bytes, at, step);
    at = writeVarint(bytes, at, lengths[i] ?? 0);
  }
  return bytes;
}
