/** Limits for a JSON text that may be parsed. */
export type JsonLimits = {
  readonly bytes: number;
  /** Maximum levels of nesting. */
  readonly depth: number;
  /** Maximum number of arrays and objects. */
  readonly containers: number;
  /** Maximum number of members of one object. */
  readonly members: number;
  /** Maximum number of values of any kind, arrays and objects included. */
  readonly values: number;
};

/**
 * Limits of a manifest. One with the most parts that the schema allows has about 50 MB, 0.1 million objects and 1.7 million values.
 * Within the limits `JSON.parse` needs a few times the size of the text; without them, 30 MB of `[],[],…` need 1.5 GB.
 */
export const manifestLimits: JsonLimits = {
  bytes: 64 * 1024 * 1024,
  depth: 64,
  containers: 800_000,
  members: 10_000,
  values: 3_000_000,
};

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

const none = Number.POSITIVE_INFINITY;
const unlimited: JsonLimits = { bytes: none, depth: none, containers: none, members: none, values: none };

/**
 * True if the bytes of a JSON text exceed the limits, of which those left out are not checked. Scans the bytes once and allocates next to
 * nothing: call it before `JSON.parse`. Text that is not JSON gives either answer.
 */
export function exceedsLimits(bytes: Uint8Array, limits: Partial<JsonLimits> = manifestLimits): boolean {
  const most = { ...unlimited, ...limits };
  if (bytes.length > most.bytes) return true;
  let [containers, values, members] = [0, 1, 0];
  /** Numbers of members of the objects around the current one. */
  const outer: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) values++;
    else if (byte === colon) members++;
    else if (isClosing(byte)) members = outer.pop() ?? 0;
    else if (isOpening(byte)) {
      outer.push(members);
      containers++;
      values++;
      members = 0;
    } else continue;
    if (outer.length > most.depth || containers > most.containers || values > most.values) return true;
    if (members > most.members) return true;
  }
  return false;
}

/** Returns the position of the quote that ends the string begun at `start`, or the length of the bytes if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
