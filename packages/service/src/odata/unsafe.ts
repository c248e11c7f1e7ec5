/** What an address must not hold as it is. */
const unsafe = /[^!-~]|["<>\\^`{|}]/gu;

/** Encodes what a client has left in an address, or a part of one, that must not stand there. Source: RFC 3986. */
export const encodeUnsafe = (text: string): string =>
  // Half of a surrogate pair has no encoding: Buffer replaces it.
  text.replace(unsafe, (character) => encodeURIComponent(Buffer.from(character).toString()));
