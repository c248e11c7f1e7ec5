/*
 * Offsets, in the decoded text, of characters that were percent-encoded. In a search, `a%3Bb` is one word,
 * whereas the semicolon of `a;b` ends the option. Nothing else depends on the encoding of a character.
 */

const none: ReadonlySet<number> = new Set();
let offsets: ReadonlySet<number> = none;
let origin = 0;

/** True if the character at `offset` of the text being tokenized was percent-encoded. */
export const isEncoded = (offset: number): boolean => offsets.has(origin + offset);

/** Runs `parse` with the offsets of the characters that were percent-encoded in its text. */
export function withEncoded<T>(encoded: ReadonlySet<number> | undefined, parse: () => T): T {
  const before = offsets;
  offsets = encoded ?? none;
  try {
    return parse();
  } finally {
    offsets = before;
  }
}

/** Runs `tokenize` on a part of the text that begins at offset `start`. */
export function withOrigin<T>(start: number, tokenize: () => T): T {
  origin = start;
  try {
    return tokenize();
  } finally {
    origin = 0;
  }
}
