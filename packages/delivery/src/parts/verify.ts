import { pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { DeliveryError } from "../errors.ts";
import { type Digest, Digester } from "./digest.ts";

/** Size up to which a part is verified before its first byte is sent, in bytes. */
export const heldLength = 1 << 19;

/** Verifies length and SHA-256 of a part while its bytes are read. */
export class PartCheck {
  readonly #digester = new Digester();
  readonly #expected: Digest;
  #left: number;

  constructor(expected: Digest) {
    this.#expected = expected;
    this.#left = expected.byteLength;
  }

  /**
   * Adds the next bytes. When the last bytes are added, it compares the hash: call it before you send them.
   *
   * @throws {DeliveryError} `part_damaged`
   */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#left -= bytes.length;
    if (this.#left < 0) throw new DeliveryError("part_damaged", `${this.#expected.sha256} is longer`);
    this.#digester.add(bytes);
    if (this.#left === 0) this.#compare();
  }

  /**
   * Checks the length. Call it after the last bytes.
   *
   * @throws {DeliveryError} `part_missing` if there were too few
   */
  end(): void {
    const { sha256, byteLength } = this.#expected;
    if (byteLength === 0) this.#compare();
    else if (this.#left > 0)
      throw new DeliveryError("part_missing", `${sha256} ends after ${byteLength - this.#left} bytes`);
  }

  #compare(): void {
    const { sha256 } = this.#digester.digest();
    const expected = this.#expected.sha256;
    if (sha256 !== expected) throw new DeliveryError("part_damaged", `${expected} has the hash ${sha256}`);
  }
}

/** A transform stream that verifies a part. If the hash is wrong, it fails before the last bytes. */
class Verifying extends Transform {
  readonly #source: Readable;
  readonly #check: PartCheck;

  constructor(source: Readable, expected: Digest) {
    super();
    this.#source = source;
    this.#check = new PartCheck(expected);
  }

  /** Waits until the source has closed its file or connection. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const close = () => done(error);
    if (this.#source.closed) close();
    else this.#source.once("close", close).destroy();
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    settle(() => this.#check.add(bytes), done, bytes);
  }

  override _flush(done: TransformCallback): void {
    settle(() => this.#check.end(), done);
  }
}

function settle(check: () => void, done: TransformCallback, bytes?: Buffer): void {
  try {
    check();
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, bytes);
}

/** Returns a stream of the verified bytes of a part. Destroying it destroys the source. */
export const verified = (stream: Readable, expected: Digest): Readable =>
  pipeline(stream, new Verifying(stream, expected), () => {
    // The returned stream emits the error.
  });
