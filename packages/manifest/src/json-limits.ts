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
const openings: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * True if the bytes of a JSON text exceed the limits. Scans the bytes once and allocates next to nothing: call it before `JSON.parse`.
 * Text that is not JSON gives either answer.
 */
export function exceedsLimits(bytes: Uint8Array, limits: JsonLimits = manifestLimits): boolean {
  if (bytes.length > limits.bytes) return true;
  let [depth, containers, values] = [0, 0, 1];
  /** Members of the open objects, by level. */
  const members: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) values++;
    else if (byte === colon) members[depth] = (members[depth] ?? 0) + 1;
    else if (closings.has(byte)) depth--;
    else if (openings.has(byte)) {
      depth++;
      containers++;
      values++;
      members[depth] = 0;
    } else continue;
    if (depth > limits.depth || containers > limits.containers || values > limits.values) return true;
    if ((members[depth] ?? 0) > limits.members) return true;
  }
  return false;
}

/** Returns the position of the quote that ends the string begun at `start`, or the length of the bytes if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (bytes[before] === backslash) before--;
    // An odd number of backslashes escapes the quote.
    if ((end - before) % 2 === 1) return end;
  }
  return bytes.length;
}
