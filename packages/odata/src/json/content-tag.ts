import { createHash, type Hash } from "node:crypto";

/** Number of base64url characters of the hash that a tag keeps. */
const tagLength = 22;

/**
 * Terminates each piece in the hash. This byte does not occur in UTF-8, so different pieces cannot be hashed as the
 * same text.
 */
const end = Uint8Array.of(0xff);

/**
 * Returns a strong ETag: a hash of the pieces, the same only for the same pieces. Source: RFC 9110, section 8.8.3.
 */
export const contentTag = (...pieces: readonly (string | Uint8Array)[]): string => digest(hashOf(pieces));

/**
 * Returns a function that computes the {@link contentTag} of `pieces` and one more piece. Use it for many tags that
 * share their first pieces.
 */
export function contentTagger(...pieces: readonly string[]): (last: Uint8Array) => string {
  const common = hashOf(pieces);
  return (last) => digest(common.copy().update(last).update(end));
}

function hashOf(pieces: readonly (string | Uint8Array)[]): Hash {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece).update(end);
  return hash;
}

const digest = (hash: Hash): string => `"${hash.digest("base64url").slice(0, tagLength)}"`;
