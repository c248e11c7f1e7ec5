/**
 * Where the members of a record's text are: for each of them how much its number is above that of the one before, and
 * how many bytes of UTF-8 it takes with the brace or comma before it. Both are written as digits of five bits, the
 * lowest first, a character of ASCII each: from `@` on, and from the grave accent on where more digits follow.
 */
export type MemberIndex = string;

const first = 0x40;
const more = 0x20;

/** Digits of a number of 32 bits. */
const longest = 7;

let scratch = Buffer.alloc(4096);

/** @param sizes bytes of each member, with what is before it */
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

/** Meet each member with its number and its bytes. */
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
