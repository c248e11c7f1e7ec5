/** Longest path and query, in bytes. */
export const maxUrlLength = 65_536;

/** Matches characters that a URL must not contain unencoded. */
const unsafe = /[^!-~]|["<>\\^`{|}]/gu;

/** Percent-encodes the characters of a URL, or of a part of one, that a client should have encoded. Source: RFC 3986. */
export const encodeUnsafe = (text: string): string =>
  // An unpaired surrogate has no UTF-8 encoding and becomes U+FFFD.
  text.replace(unsafe, (character) => encodeURIComponent(character.toWellFormed()));
