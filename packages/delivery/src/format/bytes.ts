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
