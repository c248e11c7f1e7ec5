import type { Readable, Writable } from "node:stream";
import type { Claim } from "../ledger/queue.ts";
import type { Digest } from "./digest.ts";

/**
 * The bytes of a part. Use one of the two methods, once. The bytes are hashed while they are read; if the hash is wrong, both fail with
 * {@link DeliveryError} `part_damaged` or `part_missing` before the last bytes.
 */
export type OpenPart = {
  readonly byteLength: number;
  /** The caller's to destroy. */
  readonly stream: () => Readable;
  /**
   * Write all of them to a response or a socket, and end it: something that has done with bytes when it says that they are written,
   * for their memory is used again. Ends early, without an error, when the other end has gone.
   *
   * @param gone aborts when the other end has gone, if `to` does not say so by itself: a response does not that waits for its
   * turn on a connection
   * @throws {DeliveryError} `part_damaged`, `part_missing`; `to` is destroyed then
   */
  readonly sendTo: (to: Writable, gone?: AbortSignal) => Promise<void>;
};

/**
 * Where the bytes of finished parts lie, each under its SHA-256. What is there is whole and never changes; it may be gone after a
 * power failure only if `put` had not ended.
 */
export type PartStore = {
  /** A folder of this machine for files that are being written under a claim. */
  readonly stage: (claim: Claim) => Promise<string>;
  /**
   * Put what a staged file holds, which is of this digest. Put again, it is there still.
   *
   * @throws {DeliveryError} `parts_full`, `parts_not_writable`, `parts_unavailable`
   */
  readonly put: (file: string, digest: Digest) => Promise<void>;
  /**
   * Replaces a part whose stored bytes are damaged or missing.
   *
   * @throws {DeliveryError} as `put`
   */
  readonly replace: (file: string, digest: Digest) => Promise<void>;
  /**
   * Opens a part. A short one is read and compared with its hash at once.
   *
   * @throws {DeliveryError} `part_missing`: it is not there, or has another length; `part_damaged`: it has other bytes, or cannot be
   * read; `parts_unavailable`
   */
  readonly open: (digest: Digest) => Promise<OpenPart>;
  /**
   * An address by which whoever has it may read a part for so many seconds; not where parts have none of their own.
   *
   * @throws {DeliveryError} `parts_unavailable`
   */
  readonly address?: (part: Digest, seconds: number) => Promise<string>;
  /** Remove bytes, if they are there. What is being read is read to its end. */
  readonly remove: (sha256: string) => Promise<void>;
  /**
   * Writes a few bytes where parts are written, and removes them.
   *
   * @throws {DeliveryError} as `put`
   */
  readonly probe: () => Promise<void>;
  /** Remove what was staged under claims that do not hold any more. Gives how many folders there were. */
  readonly sweep: (held: () => Promise<readonly Claim[]>) => Promise<number>;
};
