import { endOfString, endOfValue } from "@cadastre/odata/run";
import { DeliveryError } from "../errors.ts";
import { byte } from "./bytes.ts";

/** Called for a member of an object, with the index of its name and the span of its value. */
export type Visit = (place: number, start: number, end: number) => void;

/** Walks objects in JSON text without white space whose member names are known. It is fastest if they come in the order of the names. */
export class JsonMembers {
  /** JSON texts of the names. */
  readonly #names: readonly Uint8Array[];

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => Buffer.from(JSON.stringify(name)));
  }

  /**
   * Visits the members of the object that begins at `start`. Returns the index after the object.
   *
   * @throws {DeliveryError} `invalid_record`
   */
  walk(bytes: Uint8Array, start: number, visit: Visit): number {
    if (bytes[start] !== byte.openObject) throw new DeliveryError("invalid_record", "no object");
    let at = start + 1;
    let place = -1;
    while (bytes[at] === byte.quote) {
      const colon = endOfString(bytes, at);
      place = this.#placeOf(bytes, at, colon, place + 1);
      const end = endOfValue(bytes, colon + 1);
      visit(place, colon + 1, end);
      at = end + 1;
      if (bytes[end] !== byte.comma) break;
    }
    const end = at === start + 1 ? at + 1 : at;
    if (bytes[end - 1] !== byte.closeObject) throw new DeliveryError("invalid_record", "an open object");
    return end;
  }

  #placeOf(bytes: Uint8Array, start: number, end: number, from: number): number {
    const names = this.#names;
    for (let i = 0, place = from; i < names.length; i++, place++) {
      if (place >= names.length) place = 0;
      if (isAt(names[place] as Uint8Array, bytes, start, end)) return place;
    }
    throw new DeliveryError("invalid_record", "a member that is no column");
  }
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  // Backwards, because names differ at their end more often than at their beginning.
  for (let i = name.length - 2; i > 0; i--) if (name[i] !== bytes[start + i]) return false;
  return true;
}
