import type { Readable } from "node:stream";
import type { Claim } from "@cadastre/store/registry";
import type { Digest } from "../part/digest.ts";

/** Bytes of a part, to be read once. The stream is the caller's to destroy. */
export type OpenPart = { readonly stream: Readable; readonly byteLength: number };

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
  /** @throws {DeliveryError} `part_missing`, `parts_unavailable` */
  readonly open: (digest: Digest) => Promise<OpenPart>;
  /** Remove bytes, if they are there. What is being read is read to its end. */
  readonly remove: (sha256: string) => Promise<void>;
  /** Remove what was staged under claims that do not hold any more. Gives how many folders there were. */
  readonly sweep: (held: () => Promise<readonly Claim[]>) => Promise<number>;
};
