const smallest = 65_536;
/** Steps of sizes: a buffer is at most an eighth larger than what was asked for, or by {@link smallest}. */
const stepsOfSize = 8;

/**
 * Buffer pool of a thread for its pages. A page moves with its buffer to the thread that asked, which gives it back: a buffer made anew
 * for each would have to be collected.
 */
export class Memories {
  /** In the order of their sizes. */
  readonly #idle: ArrayBuffer[] = [];
  readonly #most: number;
  #bytes = 0;

  /** @param most bytes of idle buffers that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a buffer of at least `bytes` bytes, reusing the smallest idle one that is large enough. */
  take(bytes: number): Buffer {
    const place = this.#idle.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = place < 0 ? [] : this.#idle.splice(place, 1);
    if (found === undefined) return Buffer.from(new ArrayBuffer(sizeFor(bytes)));
    this.#bytes -= found.byteLength;
    return Buffer.from(found);
  }

  giveBack(memory: ArrayBuffer): void {
    this.#idle.push(memory);
    this.#bytes += memory.byteLength;
    this.#idle.sort((a, b) => a.byteLength - b.byteLength);
    // A buffer that is too small for a page is of less use than one that is too large.
    while (this.#bytes > this.#most) this.#bytes -= this.#idle.shift()?.byteLength ?? 0;
  }
}

function sizeFor(bytes: number): number {
  let power = smallest;
  while (power * 2 < bytes) power *= 2;
  const step = Math.max(smallest, power / stepsOfSize);
  return Math.ceil(Math.max(1, bytes) / step) * step;
}
