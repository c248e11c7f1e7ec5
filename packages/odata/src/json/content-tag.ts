import { createHash, type Hash } from "node:crypto";

/** Digits of a hash in base64url that a tag keeps. */
const tagLength = 22;

/** Ends a piece: no text in UTF-8 has this byte. */
const end = Uint8Array.of(0xff);

/** A strong ETag: the same for the same pieces alone. Source: RFC 9110, section 8.8.3. */
export const contentTag = (...pieces: readonly (string | Uint8Array)[]): string => digest(hashOf(pieces));

/** Returns the {@link contentTag} of `pieces` and one more, for many that have the first pieces in common. */
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
