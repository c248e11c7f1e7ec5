const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const letterN = 0x6e;

/** Returns the offset after the string that starts, with its quotation mark, at `start`. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  let byte = bytes[at];
  // Compares each byte only once: this loop takes most of the time of a page.
  while (byte !== quote && byte !== undefined) {
    if (byte === backslash) at++;
    byte = bytes[++at];
  }
  return at + 1;
}

/** Returns the offset after the value that starts at `start`, in JSON text without white space. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === letterN) return start + 4;
  if (first === quote) return endOfString(bytes, start);
  if (first === openBrace || first === openBracket) return endOfNested(bytes, start);
  let at = start + 1;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) break;
    at++;
  }
  return at;
}

function endOfNested(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (let depth = 1; depth > 0 && at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    at++;
  }
  return at;
}
