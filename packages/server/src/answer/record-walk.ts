import { endOfString, endOfValue } from "@cadastre/odata/run";

const quote = 0x22;
const comma = 0x2c;

/** Called for a member of a record: `at` is the offset of its name, with the quotation mark; its value is from `start` to `end`. */
export type MemberVisit = (at: number, start: number, end: number) => void;

/**
 * Visits the members of one record. Values are not parsed, so that numbers keep their digits.
 *
 * @param records JSON text without white space, in UTF-8
 * @param from offset of the opening brace
 * @returns the offset after the closing brace
 */
export function walkRecord(records: Buffer, from: number, visit: MemberVisit): number {
  let at = from + 1;
  while (records[at] === quote) {
    const colon = endOfString(records, at);
    const end = endOfValue(records, colon + 1);
    visit(at, colon + 1, end);
    at = records[end] === comma ? end + 1 : end;
  }
  return at + 1;
}

/** Bytes of records that are written in one turn of the event loop: some milliseconds. */
export const turnLength = 524_288;

/**
 * Writes records in pieces, so that other requests can be answered in between.
 *
 * @param records JSON texts of records without white space, separated by commas, in UTF-8
 * @param write writes the record at `from`, and calls `add` with the text; returns the offset after the record
 */
export function* piecesOfRecords(
  records: Buffer,
  write: (from: number, add: (text: string) => void) => number,
): Generator<string> {
  let texts: string[] = [];
  let turn = 0;
  const add = (text: string) => void texts.push(text);
  for (let at = 0; at < records.length; at += 1) {
    at = write(at, add);
    if (at - turn < turnLength) continue;
    yield texts.join("");
    texts = [];
    turn = at;
  }
  yield texts.join("");
}
