const smallest = 65_536;
const greatest = 64 * 1024 * 1024;

/** Memories that a thread keeps at most: with two answers under way, one more is being filled. */
const most = 4;

/**
 * Memories of a thread for its answers. An answer moves with its memory to the thread that asked, which gives it back:
 * memory made anew for each would have to be collected.
 */
export class Memories {
  readonly #idle: ArrayBuffer[] = [];

  /** A memory of at least so many bytes. */
  take(bytes: number): Buffer {
    const place = this.#idle.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = place < 0 ? [] : this.#idle.splice(place, 1);
    if (found !== undefined) return Buffer.from(found);
    let size = smallest;
    while (size < bytes) size *= 2;
    return Buffer.from(new ArrayBuffer(size));
  }

  giveBack(memory: ArrayBuffer): void {
    if (memory.byteLength > greatest) return;
    this.#idle.push(memory);
    // The smallest that is large enough is taken first, and the smallest of too many is left.
    this.#idle.sort((a, b) => a.byteLength - b.byteLength);
    if (this.#idle.length > most) this.#idle.shift();
  }
}
