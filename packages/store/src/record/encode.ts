import type { Row } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import { type MemberIndex, writeMemberIndex } from "./member-index.ts";
import type { Member } from "./members.ts";
import { requireStorable, storedText } from "./stored-value.ts";

/** A record in its stored form. Answers copy pieces of its text and never serialize it again. */
export type EncodedRecord = {
  /** JSON text of all members that have a value, ordered by member ordinal. */
  readonly text: string;
  /** Sizes of the members in the text. */
  readonly members: MemberIndex;
};

/**
 * Encodes a record in JSON form.
 *
 * @throws {StoreError} `invalid_record` if a member is unknown or its value is not valid for its type
 */
export function encodeRecord(record: Row, members: ReadonlyMap<string, Member>): EncodedRecord {
  const pieces: string[] = [];
  const ordinals: number[] = [];
  let sorted = true;
  let last = -1;
  for (const name in record) {
    const json = record[name];
    if (hasNoValue(json)) continue;
    const { ordinal, label, property } = memberOf(name, members);
    sorted &&= ordinal > last;
    last = ordinal;
    ordinals.push(ordinal);
    pieces.push(label + storedText(json, property));
  }
  return sorted ? joined(pieces, ordinals) : joined(...inOrder(pieces, ordinals));
}

/**
 * Does the checks of {@link encodeRecord} without the work of putting the text together.
 *
 * @throws {StoreError} as {@link encodeRecord}
 */
export function requireEncodable(record: Row, members: ReadonlyMap<string, Member>): void {
  for (const name in record) {
    const json = record[name];
    if (!hasNoValue(json)) requireStorable(json, memberOf(name, members).property);
  }
}

/** True for values that are not stored. */
const hasNoValue = (json: unknown): boolean =>
  json === null || json === undefined || (Array.isArray(json) && json.length === 0);

function memberOf(name: string, members: ReadonlyMap<string, Member>): Member {
  const member = members.get(name);
  if (member === undefined) throw new StoreError("invalid_record", `it has an unknown member ${name}`);
  return member;
}

/** Pieces of a record by ordinal, while they are put in order. Each has its place, which takes a fifth of the time of a sort. */
const places: (string | undefined)[] = [];

function inOrder(pieces: readonly string[], ordinals: readonly number[]): [string[], number[]] {
  let last = 0;
  for (let i = 0; i < pieces.length; i += 1) {
    const ordinal = ordinals[i] ?? 0;
    last = Math.max(last, ordinal);
    while (places.length <= ordinal) places.push(undefined);
    places[ordinal] = pieces[i];
  }
  const ordered: [pieces: string[], ordinals: number[]] = [[], []];
  for (let ordinal = 0; ordinal <= last; ordinal += 1) {
    const piece = places[ordinal];
    if (piece === undefined) continue;
    places[ordinal] = undefined;
    ordered[0].push(piece);
    ordered[1].push(ordinal);
  }
  return ordered;
}

function joined(pieces: readonly string[], ordinals: readonly number[]): EncodedRecord {
  // Faster than `join`, which copies each piece twice.
  let text = "";
  for (const piece of pieces) text += text === "" ? `{${piece}` : `,${piece}`;
  text = text === "" ? "{}" : `${text}}`;
  const isAscii = Buffer.byteLength(text) === text.length;
  const sizes = pieces.map((piece) => 1 + (isAscii ? piece.length : Buffer.byteLength(piece)));
  return { text, members: writeMemberIndex(ordinals, sizes) };
}
