/**
 * Remembers since which checkpoints versions of a resource are known to have been closed. This never becomes false again, so a
 * read as of such a checkpoint need not query it first.
 */
export class ClosedSinceCache {
  #last = -1;

  /** True if a version is known to have been closed since. */
  isKnownSince(checkpoint: number): boolean {
    return checkpoint <= this.#last;
  }

  learn(checkpoint: number): void {
    this.#last = Math.max(this.#last, checkpoint);
  }
}
