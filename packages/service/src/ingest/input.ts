import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { fileReason } from "../file-error.ts";
import { IngestError } from "./ingest-error.ts";

/** A file that can be read several times. */
export type Input = {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file in hexadecimal, which identifies it. */
  readonly sha256: string;
  /** Start of its decompressed content. */
  readonly start: string;
  /** Reads its decompressed content. `onBytes` is called with the number of bytes of each chunk read from the file. */
  readonly read: (onBytes: (bytes: number) => void) => AsyncIterable<Uint8Array>;
};

const startBytes = 4096;
/** First bytes of a zip archive. */
const zipMagic = Buffer.from("PK\u0003\u0004");

/** Calls `work` with a file. `-` stands for standard input, which is copied to a temporary file in `folder` until `work` is done. */
export async function withInput<T>(
  file: string,
  folder: string,
  work: (input: Input) => Promise<T>,
): Promise<T> {
  if (file !== "-") return work(await inputOf(file, file));
  const kept = join(folder, `ingest.${randomUUID()}`);
  try {
    await pipeline(process.stdin, createWriteStream(kept, { mode: 0o600 }));
    return await work(await inputOf(kept, "standard input"));
  } finally {
    await rm(kept, { force: true });
  }
}

async function inputOf(file: string, name: string): Promise<Input> {
  const refuse = (cause: NodeJS.ErrnoException) => {
    throw new IngestError(`${name} cannot be read: ${fileReason(cause)}`, { cause });
  };
  const { size } = await stat(file).catch(refuse);
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash).catch(refuse);
  const head = await readHead(file);
  if (head.subarray(0, zipMagic.length).equals(zipMagic))
    throw new IngestError(
      `${name} is a zip archive, which is not read: extract it, and ingest its files one by one, plain or in gzip`,
    );
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const read = async function* (onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const source = createReadStream(file);
    source.on("data", (chunk) => onBytes(chunk.length));
    if (!isPacked) {
      yield* source as AsyncIterable<Uint8Array>;
      return;
    }
    const unpacked = source.pipe(createGunzip());
    source.on("error", (error) => unpacked.destroy(error));
    try {
      yield* unpacked;
    } catch (cause) {
      throw new IngestError(`${name} is not whole: its compression is damaged`, { cause });
    }
  };
  return {
    name,
    bytes: size,
    sha256: hash.digest("hex"),
    start: isPacked ? unpackedStart(head) : head.toString(),
    read,
  };
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Decompresses as much of the head as possible. Empty if it is damaged. */
function unpackedStart(head: Buffer): string {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  } catch {
    return "";
  }
}
