import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform, type TransformCallback } from "node:stream";

/** What is said of bytes. */
export type Digest = {
  readonly byteLength: number;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
};

/** Takes bytes piece by piece, and says what they were. */
export class Digester {
  readonly #hash = createHash("sha256");
  #length = 0;

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#length += piece.length;
  }

  /** The pieces as they are, each of them added. */
  async *over(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.add(piece);
      yield piece;
    }
  }

  /** To be called once. */
  digest(): Digest {
    return { byteLength: this.#length, sha256: this.#hash.digest("hex") };
  }
}

/** Lets bytes through, and says what they were. */
export class Digesting extends Transform {
  readonly #digester = new Digester();

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#digester.add(chunk);
    done(null, chunk);
  }

  /** To be called once, when all has passed. */
  digest(): Digest {
    return this.#digester.digest();
  }
}

/** Of what a file holds. */
export async function digestOf(file: string, signal?: AbortSignal): Promise<Digest> {
  const digester = new Digester();
  const pieces = createReadStream(file, { highWaterMark: 1 << 18, signal });
  for await (const piece of pieces as AsyncIterable<Buffer>) digester.add(piece);
  return digester.digest();
}
