/** Bytes that are written one after the other; the caller reserves room before it writes. */
export class GrowingBytes {
  bytes = Buffer.allocUnsafeSlow(1 << 16);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Room for it must have been reserved. */
  put(one: number): void {
    this.bytes[this.length++] = one;
  }

  /** Copy what lies from `start` to `end`; room for it must have been reserved. */
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

  /** What has been written, until something is written anew; then there is nothing. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Shorter pieces are moved byte by byte: a call costs more. */
const shortPiece = 32;
