/**
 * Since which checkpoints versions of a resource are known to have been closed. What is learnt stays true: who reads as of
 * such a checkpoint need not ask first.
 */
export class Closings {
  #last = -1;

  /** Whether it is known that a version was closed since. */
  isKnownSince(checkpoint: number): boolean {
    return checkpoint <= this.#last;
  }

  learn(checkpoint: number): void {
    this.#last = Math.max(this.#last, checkpoint);
  }
}
