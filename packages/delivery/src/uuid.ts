const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True if the text is a UUID in lower case, as ids of deliveries are. */
export const isUuid = (text: string): boolean => pattern.test(text);

/** Number of random bytes that a UUID of version 7 is made from. */
export const uuidBytes = 10;

/** Returns a UUID of version 7, which sorts by the time `at` in milliseconds since 1970. Source: RFC 9562, section 5.7. */
export function uuidOf(at: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(at, 0, 6);
  bytes.set(random, 6);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x70;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
