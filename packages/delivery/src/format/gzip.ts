import { Transform, type TransformCallback } from "node:stream";
import { createGzip } from "node:zlib";

/** What the bytes depend on. Node's zlib writes no time and no name, and the same bytes however its input is cut. */
export const gzipEncoder = "gzip;zlib;level=6;mtime=0;os=255";

/** Where the header names the operating system, and what stands for none. Source: RFC 1952, section 2.3.1. */
const [systemAt, unknownSystem] = [9, 255];

/** Compresses to the same bytes on every machine. */
export const gzip = () => [createGzip({ level: 6, chunkSize: 1 << 16 }), new NoSystem()] as const;

class NoSystem extends Transform {
  #passed = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const at = systemAt - this.#passed;
    if (at >= 0 && at < chunk.length) chunk[at] = unknownSystem;
    this.#passed += chunk.length;
    done(null, chunk);
  }
}
