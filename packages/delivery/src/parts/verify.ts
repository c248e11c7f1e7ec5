import { pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { DeliveryError } from "../errors.ts";
import { type Digest, Digester } from "../part/digest.ts";

/** Longest part that is read and compared with its hash before its first byte is sent, in bytes. */
export const heldLength = 1 << 19;

/** Hashes the bytes of a part as they are read, and compares them with what they must be. */
export class PartCheck {
  readonly #digester = new Digester();
  readonly #expected: Digest;
  #left: number;

  constructor(expected: Digest) {
    this.#expected = expected;
    this.#left = expected.byteLength;
  }

  /**
   * Adds the next bytes. With the last ones of the part it compares the hash: call it before they are sent.
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
   * Call it after the last bytes.
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

/** Passes the bytes of a part on; it fails before the last ones if they are not the part's. */
class Verifying extends Transform {
  readonly #source: Readable;
  readonly #check: PartCheck;

  constructor(source: Readable, expected: Digest) {
    super();
    this.#source = source;
    this.#check = new PartCheck(expected);
  }

  /** Waits until the source has given back what it holds, such as a file. */
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

/** The bytes of a part from a stream, verified. Whoever destroys it destroys the stream. */
export const verified = (stream: Readable, expected: Digest): Readable =>
  pipeline(stream, new Verifying(stream, expected), () => {
    // The stream that is given back has the error.
  });
