import { DeliveryError } from "../errors.ts";
import { byte, endOfString, endOfValue } from "./json-bytes.ts";

/** What is done with the members of an object, and with its end. */
export type MemberVisitor = {
  /** A member's place among the names, and where its value lies in the bytes. */
  readonly member: (place: number, start: number, end: number) => void;
};

/** Walks objects in JSON text without white space, whose members are some of known names in a known order. */
export class Members {
  /** JSON texts of the names. */
  readonly #names: readonly Uint8Array[];

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => Buffer.from(JSON.stringify(name)));
  }

  /**
   * Visit the members of the object that begins at `start`; gives the index after it.
   *
   * @throws {DeliveryError} `invalid_record`
   */
  walk(bytes: Uint8Array, start: number, { member }: MemberVisitor): number {
    if (bytes[start] !== byte.openObject) throw new DeliveryError("invalid_record", "no object");
    let at = start + 1;
    let place = -1;
    while (bytes[at] === byte.quote) {
      const colon = endOfString(bytes, at);
      place = this.#placeOf(bytes, at, colon, place + 1);
      const end = endOfValue(bytes, colon + 1);
      member(place, colon + 1, end);
      at = end + 1;
      if (bytes[end] !== byte.comma) break;
    }
    const end = at === start + 1 ? at + 1 : at;
    if (bytes[end - 1] !== byte.closeObject) throw new DeliveryError("invalid_record", "an open object");
    return end;
  }

  #placeOf(bytes: Uint8Array, start: number, end: number, from: number): number {
    const names = this.#names;
    for (let place = from; place < names.length; place++) {
      if (isAt(names[place] as Uint8Array, bytes, start, end)) return place;
    }
    throw new DeliveryError(
      "invalid_record",
      "a member that is no column, or not in the order of the columns",
    );
  }
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  // Names begin alike more often than they end alike.
  for (let i = name.length - 2; i > 0; i--) if (name[i] !== bytes[start + i]) return false;
  return true;
}
