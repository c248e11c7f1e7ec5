/** OID of the type `text` in `pg_type`. */
const text = 25;

/**
 * Encodes an array of texts in PostgreSQL's binary format, which needs no quoting or parsing. Source: PostgreSQL, `array_recv`.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = 20;
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(size);
  // Header: 1 dimension, 1 if there may be nulls, the element type, the number of elements, 1 as the lower bound.
  let at = 0;
  for (const head of [1, 1, text, values.length, 1]) at = bytes.writeInt32BE(head, at);
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
