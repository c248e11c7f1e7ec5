import { createHash, randomBytes } from "node:crypto";
import { open as openFile, rename, rm, writeFile } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { ManifestPart } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { leaveBody } from "../http/body.ts";
import type { Connection } from "../http/connection.ts";
import { type RetryContext, sendOnce, silence, withRetry } from "../http/request.ts";
import { asTransientError, DamagedAnswer, mostDamaged, TransientError } from "../http/transient-error.ts";
import { onDisk } from "./disk.ts";
import { redeemPath, requestGrant } from "./grant.ts";

/** Called with the number of bytes received since the last call. A negative number takes back bytes of a failed attempt. */
export type OnBytes = (bytes: number) => void;

/** Prepares one attempt at a part. Returns a function that opens the bytes of the part. */
export type PrepareTransfer = (
  part: ManifestPart,
  signal: AbortSignal | undefined,
) => Promise<(signal: AbortSignal) => Promise<Readable>>;

/** Opens the parts of a service's delivery. Each attempt requests a grant of its own. */
export const partsBy =
  (connection: Connection, id: string): PrepareTransfer =>
  async (part, signal) => {
    const bearerToken = await requestGrant({ ...connection, signal }, id, part.number);
    return (until) => redeem(connection, bearerToken, part, until);
  };

/**
 * Fetches one part into a file, which gets its name once length and SHA-256 match the manifest. A damaged part is fetched again, with
 * a new grant each time.
 *
 * @throws {ClientError}
 */
export const transferPart = (
  means: RetryContext,
  open: PrepareTransfer,
  part: ManifestPart,
  file: string,
  onBytes: OnBytes,
): Promise<void> =>
  withRetry(means, async (signal) => {
    const begin = await open(part, signal);
    const half = `${file}.${randomBytes(4).toString("hex")}.partial`;
    let received = 0;
    const count: OnBytes = (bytes) => {
      received += bytes;
      onBytes(bytes);
    };
    try {
      await onDisk(half, () => receive(means, begin, part, half, count, signal));
      await onDisk(file, () => rename(half, file));
    } catch (error) {
      onBytes(-received);
      await rm(half, { force: true });
      throw error;
    }
  });

async function redeem(
  connection: Connection,
  bearerToken: string,
  { number }: ManifestPart,
  signal: AbortSignal,
): Promise<Readable> {
  const ask = { path: redeemPath, accept: "application/octet-stream", bearerToken };
  const response = await sendOnce(connection, ask, signal).catch((error: unknown) => {
    // The API key was valid for the grant, so it is the token that is no longer valid.
    if (error instanceof ClientError && error.code === "unauthorized")
      throw new TransientError("it does not take the token", { finalError: error });
    throw error;
  });
  if ((response.headers.get("content-encoding") ?? "identity") !== "identity") {
    leaveBody(response.body);
    throw new ClientError("part_encoded", { part: String(number) });
  }
  return Readable.fromWeb((response.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>);
}

async function receive(
  { retryPolicy }: RetryContext,
  begin: (signal: AbortSignal) => Promise<Readable>,
  part: ManifestPart,
  half: string,
  onBytes: OnBytes,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Opened before anything can fail: a write stream opens its file later, perhaps after this attempt has failed and removed the file.
  const sink = await openFile(half, "wx", 0o600);
  const quiet = silence(signal, retryPolicy.timeout);
  try {
    const body = addAbortSignal(quiet.signal, await begin(quiet.signal));
    await writeFile(sink, checked(body, part, quiet.heard, onBytes)).catch((error: unknown) => {
      throw isDiskError(error) ? error : asTransientError(error);
    });
    await sink.sync();
  } finally {
    quiet.end();
    await sink.close();
  }
}

/** Passes the received bytes through, and fails unless they are those of the part. */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  part: ManifestPart,
  heard: () => void,
  onBytes: OnBytes,
): AsyncGenerator<Uint8Array> {
  const number = String(part.number);
  const damaged = (code: "part_length_differs" | "part_hash_differs") =>
    new DamagedAnswer(
      `part ${number} came damaged`,
      new ClientError(code, { part: number, times: String(mostDamaged) }),
    );
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of source) {
    heard();
    length += chunk.length;
    if (length > part.byteLength) throw damaged("part_length_differs");
    hash.update(chunk);
    onBytes(chunk.length);
    yield chunk;
  }
  if (length < part.byteLength)
    throw new TransientError("it ended early", {
      finalError: new ClientError("part_length_differs", { part: number }),
    });
  if (hash.digest("hex") !== part.sha256) throw damaged("part_hash_differs");
}

/** True if writing has failed rather than reading: `fetch` wraps errors of reading. */
const isDiskError = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && "syscall" in error;
