import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";

/** What is said of bytes. */
export type Digest = {
  readonly byteLength: number;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
};

/** Lets bytes through, and says what they were. */
export class Digesting extends Transform {
  readonly #hash = createHash("sha256");
  #length = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.#length += chunk.length;
    done(null, chunk);
  }

  /** To be called once, when all has passed. */
  digest(): Digest {
    return { byteLength: this.#length, sha256: this.#hash.digest("hex") };
  }
}

/** Of what a file holds. */
export async function digestOf(file: string, signal?: AbortSignal): Promise<Digest> {
  const digesting = new Digesting();
  digesting.resume();
  await pipeline(createReadStream(file, { highWaterMark: 1 << 18 }), digesting, { signal });
  return digesting.digest();
}
