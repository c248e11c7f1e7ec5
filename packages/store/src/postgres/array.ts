/** Number of the server's type `text`, as `pg_type` has it. */
const text = 25;

/**
 * An array of texts in the server's binary form: nothing in it is quoted or read by a grammar.
 * Source: PostgreSQL, `array_recv`.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = 20;
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(size);
  // One dimension, perhaps nulls, the type, the number of elements, the first of them number 1.
  let at = 0;
  for (const head of [1, 1, text, values.length, 1]) at = bytes.writeInt32BE(head, at);
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
