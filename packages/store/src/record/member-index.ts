/**
 * Encoded positions of the members in a record's text. Each member has two numbers: the difference of its ordinal to that of the
 * previous member, and its size in bytes of UTF-8, including the brace or comma before it. A number is written in base 32, least
 * significant digit first, as one ASCII character per digit: 0x40 + digit for the last digit, 0x60 + digit if more follow. A
 * member with ordinal 2 and 37 bytes, at the beginning, is "CeA": 3, then 5 and 1.
 */
export type MemberIndex = string;

const first = 0x40;
const more = 0x20;

/** Maximum number of digits of a 32-bit number. */
const longest = 7;

let scratch = Buffer.alloc(4096);

/**
 * Encodes members, sorted by ordinal.
 *
 * @param sizes size of each member in bytes, including the brace or comma before it
 */
export function writeMemberIndex(ordinals: readonly number[], sizes: readonly number[]): MemberIndex {
  const room = 2 * longest * ordinals.length;
  if (room > scratch.length) scratch = Buffer.alloc(room * 2);
  let at = 0;
  let last = -1;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i] as number;
    at = writeNumber(ordinal - last, at);
    at = writeNumber(sizes[i] as number, at);
    last = ordinal;
  }
  return scratch.toString("latin1", 0, at);
}

function writeNumber(value: number, start: number): number {
  let at = start;
  let rest = value;
  while (rest >= more) {
    scratch[at++] = first + more + (rest & (more - 1));
    rest >>>= 5;
  }
  scratch[at++] = first + rest;
  return at;
}

/** Calls `meet` with the ordinal and size of each member. */
export function readMemberIndex(index: MemberIndex, meet: (ordinal: number, size: number) => void): void {
  let at = 0;
  const read = (): number => {
    let digit = index.charCodeAt(at++);
    let value = digit & (more - 1);
    for (let shift = 5; digit >= first + more; shift += 5) {
      digit = index.charCodeAt(at++);
      value |= (digit & (more - 1)) << shift;
    }
    return value;
  };
  let ordinal = -1;
  while (at < index.length) {
    ordinal += read();
    meet(ordinal, read());
  }
}
