import { crc32, deflateRawSync } from "node:zlib";

export type ZippedFile = {
  readonly name: string;
  readonly content: Buffer;
  readonly stored?: boolean;
  /** Extra flags, such as 1 for an encrypted file. */
  readonly flags?: number;
  readonly method?: number;
};

const number = (bytes: 2 | 4 | 8, value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer.subarray(0, bytes);
};
const [short, long, long64] = [2, 4, 8].map((bytes) => (value: number) => number(bytes as 2, value)) as [
  (value: number) => Buffer,
  (value: number) => Buffer,
  (value: number) => Buffer,
];

/** Returns a zip archive. With `zip64`, all lengths and positions are in ZIP64 records, as in archives over 4 GB. */
export function zipOf(files: readonly ZippedFile[], { zip64 = false, comment = "" } = {}): Buffer {
  const whole = 0xffff_ffff;
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, stored = false, flags = 0, method = stored ? 0 : 8 } of files) {
    const data = stored ? content : deflateRawSync(content);
    const raw = Buffer.from(name);
    const common = Buffer.concat([
      ...[zip64 ? 45 : 20, 0x800 | flags, method, 0, 0].map(short),
      long(crc32(content)),
      ...(zip64 ? [whole, whole] : [data.length, content.length]).map(long),
      short(raw.length),
    ]);
    const extra = (positions: readonly number[]) =>
      zip64
        ? Buffer.concat([short(1), short(8 * positions.length), ...positions.map(long64)])
        : Buffer.alloc(0);
    const localExtra = extra([content.length, data.length]);
    const ownExtra = extra([content.length, data.length, at]);
    const file = Buffer.concat([long(0x04034b50), common, short(localExtra.length), raw, localExtra, data]);
    local.push(file);
    directory.push(
      long(0x02014b50),
      short(45),
      common,
      short(ownExtra.length),
      Buffer.alloc(10),
      long(zip64 ? whole : at),
      raw,
      ownExtra,
    );
    at += file.length;
  }
  const bytes = Buffer.concat(directory);
  const end64 = zip64
    ? Buffer.concat([
        long(0x06064b50),
        long64(44),
        short(45),
        short(45),
        long(0),
        long(0),
        ...[files.length, files.length, bytes.length, at].map(long64),
        long(0x07064b50),
        long(0),
        long64(at + bytes.length),
        long(1),
      ])
    : Buffer.alloc(0);
  const count = zip64 ? 0xffff : files.length;
  const end = Buffer.concat([
    long(0x06054b50),
    short(0),
    short(0),
    short(count),
    short(count),
    ...(zip64 ? [whole, whole] : [bytes.length, at]).map(long),
    short(comment.length),
    Buffer.from(comment),
  ]);
  return Buffer.concat([...local, bytes, end64, end]);
}
