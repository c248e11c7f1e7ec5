/** A growable byte buffer. Reserve room before you write. */
export class GrowingBytes {
  bytes = Buffer.allocUnsafeSlow(1 << 16);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Appends a byte. Room must have been reserved. */
  put(one: number): void {
    this.bytes[this.length++] = one;
  }

  /** Appends the bytes of `source` from `start` to `end`. Room must have been reserved. */
  copy(source: Uint8Array, start: number, end: number): void {
    const { bytes } = this;
    if (end - start > shortPiece) {
      bytes.set(source.subarray(start, end), this.length);
      this.length += end - start;
      return;
    }
    let { length } = this;
    for (let at = start; at < end; at++) bytes[length++] = source[at] as number;
    this.length = length;
  }

  /** Returns the written bytes and empties the buffer. The result is valid until the next write. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Longest piece that is copied byte by byte, since calling `set` costs more. */
const shortPiece = 32;
