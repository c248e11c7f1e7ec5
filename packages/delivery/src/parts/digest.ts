import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform, type TransformCallback } from "node:stream";

/** Length and hash of some bytes. */
export type Digest = {
  readonly byteLength: number;
  /** SHA-256 in lower-case hexadecimal. */
  readonly sha256: string;
};

/** Computes the digest of bytes that are given piece by piece. */
export class Digester {
  readonly #hash = createHash("sha256");
  #length = 0;

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** Yields the pieces unchanged, and adds each one. */
  async *over(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.add(piece);
      yield piece;
    }
  }

  /** Returns the digest. It can be called only once. */
  digest(): Digest {
    return { byteLength: this.#length, sha256: this.#hash.digest("hex") };
  }
}

/** A pass-through stream that computes the digest of its bytes. */
export class Digesting extends Transform {
  readonly #digester = new Digester();

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#digester.add(chunk);
    done(null, chunk);
  }

  /** Returns the digest. It can be called only once, after the stream has ended. */
  digest(): Digest {
    return this.#digester.digest();
  }
}

/** Returns the digest of a file. */
export async function fileDigest(file: string, signal?: AbortSignal): Promise<Digest> {
  const digester = new Digester();
  const pieces = createReadStream(file, { highWaterMark: 1 << 18, signal });
  for await (const piece of pieces as AsyncIterable<Buffer>) digester.add(piece);
  return digester.digest();
}
