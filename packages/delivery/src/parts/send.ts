import type { FileHandle } from "node:fs/promises";
import { Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TurnQueue } from "../turn-queue.ts";
import type { Digest } from "./digest.ts";
import type { ByteRange, PartContent } from "./part-store.ts";
import { type PieceTags, pieceLength, type VerifiedParts } from "./verified-parts.ts";
import { PartCheck } from "./verify.ts";

/** Most buffers that are kept for later parts. */
const maxKeptBuffers = 8;

/**
 * Buffers of parts that were sent, for the next ones. A new buffer would cost as much as the hashing of its bytes: the system maps and clears
 * its memory, and V8 collects garbage because of it.
 */
const keptBuffers: Buffer[] = [];

const takeBuffer = (): Buffer => keptBuffers.pop() ?? Buffer.allocUnsafeSlow(pieceLength);

function keepBuffer(buffer: Buffer): void {
  if (keptBuffers.length < maxKeptBuffers) keptBuffers.push(buffer);
}

/** Orders the reads of all parts that are being sent: hashing and writing one takes some milliseconds. */
const reads = new TurnQueue(10);

/** Recipient of a part: see `PartContent.sendTo`. */
type Recipient = {
  readonly to: Writable;
  readonly range: ByteRange;
  readonly gone: AbortSignal | undefined;
};

/** An open part. */
type PartFile = {
  readonly handle: FileHandle;
  readonly part: Digest;
  readonly verified: VerifiedParts;
};

/** Sends a range of a part from its file through one buffer, and closes the file. */
export async function sendFile(file: PartFile, recipient: Recipient): Promise<void> {
  const { to } = recipient;
  const buffer = takeBuffer();
  try {
    const tags = file.verified.tagsOf(file.part);
    const isSent = await (tags === undefined
      ? sendHashed(file, buffer, recipient)
      : sendTagged(file, buffer, recipient, tags));
    // After a write that was broken off, the connection may still hold the buffer.
    if (!isSent) return;
    keepBuffer(buffer);
    to.end();
  } catch (error) {
    // The client must not take the bytes so far for the complete part.
    to.destroy();
    throw error;
  } finally {
    await file.handle.close();
  }
}

/** Hashes all bytes on the way. The last ones of the range are sent only if the hash is right. Returns false if the client has gone. */
async function sendHashed(
  { handle, part, verified }: PartFile,
  buffer: Buffer,
  { to, range, gone }: Recipient,
): Promise<boolean> {
  const { byteLength } = part;
  const check = new PartCheck(part);
  const picked = new PickedBytes(range, byteLength);
  const tags = verified.newTags(part);
  for (let at = 0; at < byteLength; at += pieceLength) {
    const bytes = await readPiece(handle, buffer, at, byteLength);
    await reads.next();
    check.add(bytes);
    tags?.add(bytes);
    if (!(await written(to, picked.of(bytes), gone))) return false;
  }
  check.end();
  verified.note(part, tags);
  return written(to, picked.last(), gone);
}

/** Reads and verifies the pieces of the range alone. Returns false if the client has gone. */
async function sendTagged(
  { handle, part: { byteLength } }: PartFile,
  buffer: Buffer,
  { to, range: { start, end }, gone }: Recipient,
  tags: PieceTags,
): Promise<boolean> {
  for (let index = Math.floor(start / pieceLength); index * pieceLength < end; index++) {
    const at = index * pieceLength;
    const bytes = await readPiece(handle, buffer, at, byteLength);
    await reads.next();
    tags.verify(index, bytes);
    if (!(await written(to, bytes.subarray(Math.max(0, start - at), end - at), gone))) return false;
  }
  return true;
}

/** Reads the piece that begins at a position. It is shorter than it should be if the file is. */
async function readPiece(
  handle: FileHandle,
  buffer: Buffer,
  at: number,
  byteLength: number,
): Promise<Uint8Array> {
  const length = Math.min(pieceLength, byteLength - at);
  let filled = 0;
  for (let read = -1; filled < length && read !== 0; filled += read)
    read = (await handle.read(buffer, filled, length - filled, at + filled)).bytesRead;
  return buffer.subarray(0, filled);
}

const none = new Uint8Array();

/**
 * Picks the bytes of a range out of those of a part. The last bytes of a range that ends before its part does are kept until the part is
 * verified.
 */
class PickedBytes {
  readonly #range: ByteRange;
  readonly #byteLength: number;
  #position = 0;
  #kept: Uint8Array = none;

  constructor(range: ByteRange, byteLength: number) {
    this.#range = range;
    this.#byteLength = byteLength;
  }

  /** Returns what is to be sent of the next bytes of the part. */
  of(bytes: Uint8Array): Uint8Array {
    const { start, end } = this.#range;
    const position = this.#position;
    this.#position += bytes.length;
    const found = bytes.subarray(Math.max(0, start - position), Math.max(0, end - position));
    if (found.length === 0 || end > this.#position || end === this.#byteLength) return found;
    // Copied, for the buffer of the next bytes may be the same.
    this.#kept = Uint8Array.from(found);
    return none;
  }

  /** Returns what is left to be sent when the whole part is verified. */
  last(): Uint8Array {
    return this.#kept;
  }
}

/** Writes bytes. Returns false if the client has gone. */
const written = (to: Writable, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (isWritten: boolean) => {
      to.off("close", gone);
      signal?.removeEventListener("abort", gone);
      resolve(isWritten);
    };
    const gone = () => settle(false);
    to.once("close", gone);
    signal?.addEventListener("abort", gone);
    if (signal?.aborted === true) gone();
    else if (bytes.length === 0) settle(!to.destroyed);
    else to.write(bytes, (error) => settle(error === null || error === undefined));
  });

/** Returns an open part for verified bytes in memory. */
export const heldPart = (bytes: Uint8Array): PartContent => ({
  byteLength: bytes.length,
  stream: () => Readable.from([bytes], { objectMode: false }),
  sendTo: async (to, { start, end }, gone) => {
    if (await written(to, bytes.subarray(start, end), gone)) to.end();
  },
});

/** Sends a range of the verified bytes of a part's stream: see `PartContent.sendTo`. */
export async function sendStream(
  stream: Readable,
  byteLength: number,
  to: Writable,
  range: ByteRange,
  signal?: AbortSignal,
): Promise<void> {
  const picked = new PickedBytes(range, byteLength);
  const picking = new Transform({
    transform: (bytes: Buffer, _encoding, done) => done(null, picked.of(bytes)),
    flush: (done) => done(null, picked.last()),
  });
  try {
    await pipeline(stream, picking, to, { signal });
  } catch (error) {
    if (signal?.aborted !== true && !isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
