import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, gunzipSync } from "node:zlib";
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

/** Ratio of decompressed to compressed bytes from which a file is taken for a decompression bomb. Files of records reach about 30. */
const maxRatio = 200;
/** Number of decompressed bytes that are read in any case. */
const harmless = 64 * 1024 * 1024;
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

const refuseRead = (name: string) => (cause: NodeJS.ErrnoException) => {
  throw new IngestError(`${name} cannot be read (${cause.code})`, { cause });
};

async function inputOf(file: string, name: string): Promise<Input> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash).catch(refuseRead(name));
  return { ...(await openInput(file, name)), sha256: hash.digest("hex") };
}

/** Opens a file without reading all of it, as its hash would need. @throws {IngestError} if it cannot be read, or is a zip archive */
export async function openInput(file: string, name: string): Promise<Omit<Input, "sha256">> {
  const { size } = await stat(file).catch(refuseRead(name));
  const head = await readHead(file).catch(refuseRead(name));
  if (head.subarray(0, zipMagic.length).equals(zipMagic))
    throw new IngestError(
      `${name} is a zip archive, which is not read: extract it, and ingest its files one by one, plain or in gzip`,
    );
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const read = async function* (onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const source = createReadStream(file);
    let [packed, unpackedBytes] = [0, 0];
    source.on("data", (chunk) => {
      packed += chunk.length;
      onBytes(chunk.length);
    });
    if (!isPacked) {
      yield* source as AsyncIterable<Uint8Array>;
      return;
    }
    const unpacked = source.pipe(createGunzip());
    source.on("error", (error) => unpacked.destroy(error));
    try {
      for await (const chunk of unpacked as AsyncIterable<Buffer>) {
        unpackedBytes += chunk.length;
        if (unpackedBytes > Math.max(harmless, packed * maxRatio))
          throw new IngestError(
            `${name} is over ${maxRatio} times larger once it is unpacked, which records never are: unpack it yourself if you trust it`,
          );
        yield chunk;
      }
    } catch (cause) {
      if (cause instanceof IngestError) throw cause;
      throw new IngestError(`${name} is not whole: its compression is damaged`, { cause });
    } finally {
      // The reader may need only the beginning.
      source.destroy();
    }
  };
  return {
    name,
    bytes: size,
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
