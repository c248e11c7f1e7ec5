import { Transform, type TransformCallback } from "node:stream";
import { createGzip } from "node:zlib";

/** Identifies everything the bytes depend on. Node's zlib writes no time and no name, and its output is independent of input chunking. */
export const gzipEncoder = "gzip;zlib;level=6;mtime=0;os=255";

/** Offset of the operating system in the header, and the value for "unknown". Source: RFC 1952, section 2.3.1. */
const [systemAt, unknownSystem] = [9, 255];

/** Returns streams that compress to the same bytes on every machine. */
export const gzip = () => [createGzip({ level: 6, chunkSize: 1 << 16 }), new UnknownSystemHeader()] as const;

class UnknownSystemHeader extends Transform {
  #bytesBefore = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const at = systemAt - this.#bytesBefore;
    if (at >= 0 && at < chunk.length) chunk[at] = unknownSystem;
    this.#bytesBefore += chunk.length;
    done(null, chunk);
  }
}
