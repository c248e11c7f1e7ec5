/*
 * Offsets, in the decoded text, of characters that came percent-encoded. In a search `a%3Bb` is one word,
 * where `a;b` ends the option; nothing else depends on how a character was written.
 */

const none: ReadonlySet<number> = new Set();
let offsets: ReadonlySet<number> = none;
let origin = 0;

/** Whether the character at `offset` of the text that is being tokenized came percent-encoded. */
export const isEncoded = (offset: number): boolean => offsets.has(origin + offset);

/** Run `parse` knowing which characters of its text came percent-encoded. */
export function withEncoded<T>(encoded: ReadonlySet<number> | undefined, parse: () => T): T {
  const before = offsets;
  offsets = encoded ?? none;
  try {
    return parse();
  } finally {
    offsets = before;
  }
}

/** Run `tokenize` on a part of the text that begins at the offset `start`. */
export function withOrigin<T>(start: number, tokenize: () => T): T {
  origin = start;
  try {
    return tokenize();
  } finally {
    origin = 0;
  }
}
