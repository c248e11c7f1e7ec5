import type { Readable, Writable } from "node:stream";
import type { Claim } from "../ledger/queue.ts";
import type { Digest } from "./digest.ts";

/** Consecutive bytes of a part: the positions of the first one and after the last one, from 0. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The bytes of a part. Use one of the two methods, once. The bytes are verified while they are read; if they are damaged, both fail
 * with {@link DeliveryError} `part_damaged` or `part_missing` before the last bytes.
 */
export type PartContent = {
  readonly byteLength: number;
  /** Returns the bytes as a stream, which the caller must destroy. */
  readonly stream: () => Readable;
  /**
   * Writes a range of the bytes to a response or a socket, and ends it. When `to` calls back after a write, it must be done with the bytes, since
   * their buffer is reused. If the client has gone, returns early without an error.
   *
   * @param range the bytes to write; the others may be read too, to verify the part
   * @param gone aborts when the client has gone, for a `to` that does not close itself then, such as a response that is still queued on
   * a pipelined connection
   * @throws {DeliveryError} `part_damaged`, `part_missing`; `to` is destroyed then
   */
  readonly sendTo: (to: Writable, range: ByteRange, gone?: AbortSignal) => Promise<void>;
};

/**
 * Store of the bytes of finished parts, each under its SHA-256. A stored part is complete and never changes. Once `put` has returned, it
 * survives a power failure.
 */
export type PartStore = {
  /** Returns a folder of this machine for the files that are written under a claim. */
  readonly stage: (claim: Claim) => Promise<string>;
  /**
   * Stores a staged file that has this digest. Storing a part again does no harm.
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
  readonly open: (digest: Digest) => Promise<PartContent>;
  /**
   * Returns a presigned URL by which anyone can read the part for `seconds`. Absent if the store has no URLs.
   *
   * @throws {DeliveryError} `parts_unavailable`
   */
  readonly address?: (part: Digest, seconds: number) => Promise<string>;
  /** Removes a part, if it is stored. Reads in progress still reach its end. */
  readonly remove: (sha256: string) => Promise<void>;
  /**
   * Writes a few bytes where parts are written, and removes them.
   *
   * @throws {DeliveryError} as `put`
   */
  readonly probe: () => Promise<void>;
  /** Removes what was staged under claims that no longer hold. Returns the number of folders removed. */
  readonly sweep: (held: () => Promise<readonly Claim[]>) => Promise<number>;
};
