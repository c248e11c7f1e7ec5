import type { FileHandle } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TurnQueue } from "../turn-queue.ts";
import type { Digest } from "./digest.ts";
import type { PartContent } from "./part-store.ts";
import { PartCheck } from "./verify.ts";

/** Size of a read, in bytes: large enough that the fixed cost of a read and a write is small beside the copying. */
const readSize = 1 << 19;

/** Orders the reads of all parts that are being sent: hashing and writing one takes some milliseconds. */
const reads = new TurnQueue(10);

/**
 * Sends a part from its file through one reused buffer, and closes the file: see `OpenPart.sendTo`. The bytes are hashed on the
 * way; the last ones are sent only if the hash is right.
 */
export async function sendFile(
  handle: FileHandle,
  part: Digest,
  to: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const { byteLength } = part;
  const check = new PartCheck(part);
  const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, byteLength));
  try {
    for (let sent = 0, read = -1; sent < byteLength && read !== 0; sent += read) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, byteLength - sent), sent);
      const bytes = buffer.subarray(0, bytesRead);
      await reads.next();
      check.add(bytes);
      read = bytesRead;
      if (read > 0 && !(await written(to, bytes, signal))) return;
    }
    check.end();
    to.end();
  } catch (error) {
    // The client must not take the bytes so far for the complete part.
    to.destroy();
    throw error;
  } finally {
    await handle.close();
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
    else to.write(bytes, (error) => settle(error === null || error === undefined));
  });

/** Returns an open part for verified bytes in memory. */
export const heldPart = (bytes: Uint8Array): PartContent => ({
  byteLength: bytes.length,
  stream: () => Readable.from([bytes], { objectMode: false }),
  sendTo: async (to, gone) => {
    if (bytes.length === 0 || (await written(to, bytes, gone))) to.end();
  },
});

/** Sends the bytes of a stream: see `OpenPart.sendTo`. */
export async function sendStream(stream: Readable, to: Writable, signal?: AbortSignal): Promise<void> {
  try {
    await pipeline(stream, to, { signal });
  } catch (error) {
    if (signal?.aborted !== true && !isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
