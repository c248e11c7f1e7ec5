/** By code point, as databases order texts. */
export const compareCodePoints = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
