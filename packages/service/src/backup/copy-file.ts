import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";

/** Size and hash of a file's content. */
export type FileDigest = { readonly bytes: number; readonly sha256: string };

/** Size of a chunk, in bytes. */
const highWaterMark = 1 << 18;

/** Copies a file to a new one and returns its hash. Only the owner can read the copy, and it is flushed to the disk. */
export async function copyFile(from: string, to: string): Promise<FileDigest> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const digest = new Digest();
  await pipeline(
    createReadStream(from, { highWaterMark }),
    (chunks: AsyncIterable<Buffer>) => digest.of(chunks),
    createWriteStream(to, { flags: "wx", mode: 0o600, flush: true }),
  );
  return digest.found();
}

export async function hashFile(file: string): Promise<FileDigest> {
  const digest = new Digest();
  for await (const _ of digest.of(createReadStream(file, { highWaterMark })));
  return digest.found();
}

/** Hashes and counts the bytes of a stream. */
class Digest {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  found(): FileDigest {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Flushes a folder's directory entries to the disk, so that created and renamed files survive a power failure. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
