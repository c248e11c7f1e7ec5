/** Compares texts by code point, which is the order that databases use. */
export const compareCodePoints = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
