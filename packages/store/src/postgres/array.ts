/** Types of the server by their number, as `pg_type` has them. */
const elementTypes = { text: 25, bytea: 17 } as const;

/**
 * An array in the server's binary form: nothing in it is quoted or read by a grammar.
 * Source: PostgreSQL, `array_recv`.
 */
export function binaryArray(
  type: keyof typeof elementTypes,
  values: readonly (string | Uint8Array | null)[],
): Buffer {
  let size = 20;
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(size);
  // One dimension, perhaps nulls, the type, the number of elements, the first of them number 1.
  let at = 0;
  for (const head of [1, 1, elementTypes[type], values.length, 1]) at = bytes.writeInt32BE(head, at);
  for (const value of values) {
    if (value === null) {
      at = bytes.writeInt32BE(-1, at);
      continue;
    }
    const length = typeof value === "string" ? bytes.write(value, at + 4) : value.length;
    if (typeof value !== "string") bytes.set(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + length;
  }
  return bytes;
}
