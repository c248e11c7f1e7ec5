/** Size of the smallest buffer, in bytes. */
const smallest = 65_536;
/** Buffer sizes are rounded up by at most an eighth of the size, or to a multiple of {@link smallest}. */
const stepsOfSize = 8;

/**
 * Buffer pool for pages. Memory of buffers is expensive garbage: V8 collects all that there is each time that some megabytes
 * were allocated.
 */
export class BufferPool {
  /** Sorted by size. */
  readonly #idle: ArrayBuffer[] = [];
  readonly #most: number;
  #bytes = 0;

  /** @param most maximum total size of idle buffers, in bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a buffer of at least `bytes` bytes, reusing the smallest idle one that is large enough. */
  readonly take = (bytes: number): Buffer => {
    const place = this.#idle.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = place < 0 ? [] : this.#idle.splice(place, 1);
    if (found === undefined) return Buffer.from(new ArrayBuffer(sizeFor(bytes)));
    this.#bytes -= found.byteLength;
    return Buffer.from(found);
  };

  readonly giveBack = (memory: ArrayBuffer): void => {
    this.#idle.push(memory);
    this.#bytes += memory.byteLength;
    this.#idle.sort((a, b) => a.byteLength - b.byteLength);
    // The smallest buffers are dropped first: a buffer that is too large is more useful than one that is too small.
    while (this.#bytes > this.#most) this.#bytes -= this.#idle.shift()?.byteLength ?? 0;
  };
}

function sizeFor(bytes: number): number {
  let power = smallest;
  while (power * 2 < bytes) power *= 2;
  const step = Math.max(smallest, power / stepsOfSize);
  return Math.ceil(Math.max(1, bytes) / step) * step;
}
