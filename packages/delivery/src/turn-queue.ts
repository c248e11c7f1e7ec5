import { setImmediate } from "node:timers/promises";

/**
 * Lets tasks begin in the order of arrival, for at most `share` milliseconds in each turn of the event loop. Otherwise many tasks that
 * become ready at the same time would all run in one turn, while timers and answers wait.
 */
export class TurnQueue {
  readonly #share: number;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;
  /** When the share of this turn ends, by the clock of `performance.now()`. */
  #end = 0;

  constructor(share: number) {
    this.#share = share;
  }

  /** Resolves when the caller may begin. Its work up to the next `await` that takes time counts against the share. */
  next(): Promise<void> {
    return new Promise((begin) => this.#add(() => this.#waiting.push(begin)));
  }

  /** Like {@link next}, before all that wait. */
  first(): Promise<void> {
    return new Promise((begin) => this.#add(() => this.#waiting.unshift(begin)));
  }

  #add(put: () => void): void {
    put();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      if (performance.now() > this.#end) {
        // Runs after all input that has arrived in this turn was read.
        await setImmediate();
        this.#end = performance.now() + this.#share;
      }
      this.#waiting.shift()?.();
      await ticks();
    }
    this.#isRunning = false;
  }
}

/** Resolves after the pending `nextTick` callbacks and microtasks, which belong to the task that has begun. */
const ticks = () => new Promise<void>((resolve) => process.nextTick(resolve));
