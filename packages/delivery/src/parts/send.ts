import type { FileHandle } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DeliveryError } from "../errors.ts";

/** Bytes that are read of a file at once: what a read and a write cost beside copying is little then. */
const readSize = 1 << 19;

/** Send so many bytes of a file, by one buffer that is filled again and again, and close it: see `OpenPart.sendTo`. */
export async function sendFile(
  handle: FileHandle,
  byteLength: number,
  to: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, byteLength));
  try {
    for (let sent = 0; sent < byteLength; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, byteLength - sent), sent);
      if (bytesRead === 0) throw new DeliveryError("part_missing", `it ends after ${sent} bytes`);
      if (!(await written(to, buffer.subarray(0, bytesRead), signal))) return;
      sent += bytesRead;
    }
    to.end();
  } catch (error) {
    // Who waits for the rest must not take what came for all of it.
    to.destroy();
    throw error;
  } finally {
    await handle.close();
  }
}

/** Have bytes written. Gives false if the other end has gone. */
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

/** Send what a stream gives: see `OpenPart.sendTo`. */
export async function sendStream(stream: Readable, to: Writable, signal?: AbortSignal): Promise<void> {
  try {
    await pipeline(stream, to, { signal });
  } catch (error) {
    if (signal?.aborted !== true && !isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
