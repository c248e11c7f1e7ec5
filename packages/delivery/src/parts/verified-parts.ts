import { createCipheriv, randomBytes } from "node:crypto";
import { LruCache } from "@cadastre/odata/lru-cache";
import { DeliveryError } from "../errors.ts";
import type { Digest } from "./digest.ts";

/** Length of the pieces that parts are read and sent in, in bytes: the fixed cost of a read and a write is small beside the copying. */
export const pieceLength = 1 << 19;

/** Number of parts that are remembered. A part of 64 MiB takes 2 kB. */
const maxParts = 2048;

const cipher = "aes-128-gcm";
/** Lengths of key, nonce and tag of the cipher, in bytes. */
const [keyLength, nonceLength, tagLength] = [16, 12, 16];

/**
 * Authentication tags of the pieces of a part (GMAC, NIST SP 800-38D). They find damage as surely as a SHA-256 of the part does, cost a
 * quarter of it, and verify a piece by itself. Their key is that of this process.
 */
export class PieceTags {
  readonly #key: Uint8Array;
  readonly #sha256: string;
  readonly #tags: Buffer;
  /** Number of tags so far. */
  #count = 0;

  constructor(key: Uint8Array, { sha256, byteLength }: Digest) {
    this.#key = key;
    this.#sha256 = sha256;
    this.#tags = Buffer.alloc(Math.ceil(byteLength / pieceLength) * tagLength);
  }

  /** Adds the tag of the next piece. */
  add(bytes: Uint8Array): void {
    this.#tags.set(this.#tagOf(this.#count, bytes), this.#count * tagLength);
    this.#count += 1;
  }

  /**
   * Compares a piece with its tag.
   *
   * @throws {DeliveryError} `part_damaged`
   */
  verify(index: number, bytes: Uint8Array): void {
    const tag = this.#tags.subarray(index * tagLength, (index + 1) * tagLength);
    if (this.#tagOf(index, bytes).equals(tag)) return;
    throw new DeliveryError("part_damaged", `${this.#sha256} from byte ${index * pieceLength} on`);
  }

  #tagOf(index: number, bytes: Uint8Array): Buffer {
    const nonce = Buffer.alloc(nonceLength, this.#sha256.slice(0, 2 * nonceLength), "hex");
    nonce.writeUInt32LE(index, nonceLength - 4);
    const tagging = createCipheriv(cipher, this.#key, nonce);
    tagging.setAAD(bytes);
    tagging.final();
    return tagging.getAuthTag();
  }
}

/** State of a part in this process. */
type Memory = { isVerified: boolean; tags: PieceTags | undefined };

/**
 * Remembers the parts whose SHA-256 was verified in this process. The second verification makes tags, by which a part is verified from then
 * on: many parts are sent only once, for which tags would be of no use.
 */
export class VerifiedParts {
  readonly #key = randomBytes(keyLength);
  readonly #memories = new LruCache<string, Memory>(maxParts);

  /** Returns the tags of a part; undefined if it is to be verified by its SHA-256. */
  tagsOf(part: Digest): PieceTags | undefined {
    return this.#memoryOf(part).tags;
  }

  /** Returns new tags for a part that is being verified by its SHA-256; undefined if none are needed yet. */
  newTags(part: Digest): PieceTags | undefined {
    return this.#memoryOf(part).isVerified ? new PieceTags(this.#key, part) : undefined;
  }

  /** Notes that all of a part was verified by its SHA-256. */
  note(part: Digest, tags: PieceTags | undefined): void {
    Object.assign(this.#memoryOf(part), { isVerified: true, tags });
  }

  #memoryOf({ sha256, byteLength }: Digest): Memory {
    return this.#memories.get(`${sha256} ${byteLength}`, () => ({ isVerified: false, tags: undefined }));
  }
}
