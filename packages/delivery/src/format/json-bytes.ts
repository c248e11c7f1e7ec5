/** Bytes that have a meaning in JSON text. */
export const byte = {
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Returns the index after the closing quote of the string that begins at `start`. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const one = bytes[at];
    if (one === byte.quote) return at + 1;
    if (one === byte.backslash) at++;
  }
  return bytes.length;
}

/** Returns the index after the value that begins at `start`, in JSON text without white space. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === byte.quote) return endOfString(bytes, start);
  const isNested = first === byte.openList || first === byte.openObject;
  return isNested ? endOfNested(bytes, start) : endOfScalar(bytes, start);
}

function endOfScalar(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const one = bytes[at];
    if (one === byte.comma || one === byte.closeObject || one === byte.closeList) return at;
  }
  return bytes.length;
}

function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const one = bytes[at];
    if (one === byte.quote) at = endOfString(bytes, at) - 1;
    else if (one === byte.openList || one === byte.openObject) depth++;
    else if ((one === byte.closeList || one === byte.closeObject) && --depth === 0) return at + 1;
  }
  return bytes.length;
}
