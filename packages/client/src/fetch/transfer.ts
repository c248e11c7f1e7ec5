import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open as openFile, rename, rm, writeFile } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import type { ManifestPart } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { leaveBody } from "../http/body.ts";
import type { Connection } from "../http/connection.ts";
import { type RetryContext, sendOnce, silence, withRetry } from "../http/request.ts";
import { asTransientError, DamagedAnswer, mostDamaged, TransientError } from "../http/transient-error.ts";
import { onDisk } from "./disk.ts";
import { redeemPath, requestGrant } from "./grant.ts";

/** Called with the number of bytes that are there since the last call. A negative number takes back bytes that were dropped. */
export type OnBytes = (bytes: number) => void;

/** Bytes of a part, from a position to its end. */
type PartBytes = { readonly from: number; readonly body: Readable };

/** Opens the bytes of a part from a position on, or all of them: a server need not know ranges. */
type OpenBytes = (signal: AbortSignal, from: number) => Promise<PartBytes>;

/** Prepares one attempt at a part. Returns a function that opens its bytes. */
export type PrepareTransfer = (part: ManifestPart, signal: AbortSignal | undefined) => Promise<OpenBytes>;

/** Opens the parts of a service's delivery. Each attempt requests a grant of its own. */
export const partsBy =
  (connection: Connection, id: string): PrepareTransfer =>
  async (part, signal) => {
    const bearerToken = await requestGrant({ ...connection, signal }, id, part.number);
    return (until, from) => redeem(connection, bearerToken, part, from, until);
  };

/** Told of the bytes of a transfer. */
export type TransferEvents = {
  readonly onBytes: OnBytes;
  /** Called with the number of bytes that were received. */
  readonly onReceived: (bytes: number) => void;
};

/**
 * Fetches one part into a file, which gets its name once length and SHA-256 match the manifest. If a transfer breaks off, its bytes are kept in
 * `<file>.partial`, and the next attempt, of this run or a later one, asks for the rest. A damaged part is fetched again, with a new grant each
 * time.
 *
 * @throws {ClientError}
 */
export async function transferPart(
  means: RetryContext,
  open: PrepareTransfer,
  part: ManifestPart,
  file: string,
  events: TransferEvents,
): Promise<void> {
  const half = `${file}.partial`;
  const progress = new PartProgress(events);
  await withRetry(means, async (signal) => {
    const begin = await open(part, signal);
    try {
      await onDisk(half, () => receive(means, begin, part, half, progress, signal));
      await onDisk(file, () => rename(half, file));
    } catch (error) {
      if (!isBreak(error) || progress.bytes === 0) {
        await rm(half, { force: true });
        progress.is(0);
      }
      throw error;
    }
  });
}

/** An answer that is complete, but shorter than its part. */
class ShortAnswer extends TransientError {}

/** True if a transfer was broken off, so that what was received of it is of use. */
const isBreak = (error: unknown): boolean =>
  error instanceof TransientError && !(error instanceof DamagedAnswer || error instanceof ShortAnswer);

/** Number of bytes of a part that are there. */
class PartProgress {
  readonly #events: TransferEvents;
  #bytes = 0;

  constructor(events: TransferEvents) {
    this.#events = events;
  }

  get bytes(): number {
    return this.#bytes;
  }

  is(bytes: number): void {
    this.#events.onBytes(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  receive(bytes: number): void {
    this.#events.onReceived(bytes);
    this.is(this.#bytes + bytes);
  }
}

async function redeem(
  connection: Connection,
  bearerToken: string,
  { number, sha256 }: ManifestPart,
  from: number,
  signal: AbortSignal,
): Promise<PartBytes> {
  const range = from === 0 ? {} : { range: { from, etag: `"${sha256}"` } };
  const ask = { path: redeemPath, accept: "application/octet-stream", bearerToken, ...range };
  const { status, headers, body } = await sendOnce(connection, ask, signal).catch((error: unknown) => {
    // The API key was valid for the grant, so it is the token that is no longer valid.
    if (error instanceof ClientError && error.code === "unauthorized")
      throw new TransientError("it does not take the token", { finalError: error });
    throw error;
  });
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    leaveBody(body);
    throw new ClientError("part_encoded", { part: String(number) });
  }
  if (status === 206 && headers.get("content-range")?.startsWith(`bytes ${from}-`) !== true) {
    leaveBody(body);
    throw new TransientError("it sent another range");
  }
  return {
    from: status === 206 ? from : 0,
    // `Readable.fromWeb` would emit an error before anyone reads, which ends the process.
    body: Readable.from(body ?? []),
  };
}

async function receive(
  { retryPolicy }: RetryContext,
  begin: OpenBytes,
  part: ManifestPart,
  half: string,
  progress: PartProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await openFile(half, "a+", 0o600);
  const quiet = silence(signal, retryPolicy.timeout);
  try {
    let check = await checkOf(file, part);
    progress.is(check.length);
    quiet.heard();
    const { from, body } = await begin(quiet.signal, check.length);
    if (from !== check.length) {
      await file.truncate();
      check = new PartCheck(part);
      progress.is(0);
    }
    const bytes = checked(addAbortSignal(quiet.signal, body), check, (received) => {
      quiet.heard();
      progress.receive(received);
    });
    await writeFile(file, bytes).catch((error: unknown) => {
      throw isDiskError(error) ? error : asTransientError(error);
    });
    await file.sync();
  } finally {
    quiet.end();
    await file.close();
  }
}

/** Returns the check of a part of which a file has the first bytes. A file that is too long is emptied. */
async function checkOf(file: FileHandle, part: ManifestPart): Promise<PartCheck> {
  const check = new PartCheck(part);
  if ((await file.stat()).size >= part.byteLength) await file.truncate();
  for await (const bytes of file.createReadStream({ start: 0, autoClose: false }))
    check.add(bytes as Uint8Array);
  return check;
}

/** Length and SHA-256 of the bytes of a part, in order. */
class PartCheck {
  readonly #part: ManifestPart;
  readonly #hash: Hash = createHash("sha256");
  #length = 0;

  constructor(part: ManifestPart) {
    this.#part = part;
  }

  get length(): number {
    return this.#length;
  }

  /** @throws {DamagedAnswer} if they are more than the part has */
  add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > this.#part.byteLength) throw this.#damaged("part_length_differs");
    this.#hash.update(bytes);
  }

  /** @throws {ShortAnswer} if they are fewer than the part has @throws {DamagedAnswer} if they are others */
  end(): void {
    const { byteLength, sha256 } = this.#part;
    const part = String(this.#part.number);
    if (this.#length < byteLength)
      throw new ShortAnswer("it ended early", {
        finalError: new ClientError("part_length_differs", { part }),
      });
    if (this.#hash.digest("hex") !== sha256) throw this.#damaged("part_hash_differs");
  }

  #damaged(code: "part_length_differs" | "part_hash_differs"): DamagedAnswer {
    const part = String(this.#part.number);
    return new DamagedAnswer(
      `part ${part} came damaged`,
      new ClientError(code, { part, times: String(mostDamaged) }),
    );
  }
}

/** Passes the received bytes through, and fails unless they complete the part. */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  check: PartCheck,
  onReceived: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    check.add(chunk);
    onReceived(chunk.length);
    yield chunk;
  }
  check.end();
}

/** True if writing has failed rather than reading: `fetch` wraps errors of reading. */
const isDiskError = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && "syscall" in error;
