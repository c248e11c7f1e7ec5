import { setTimeout } from "node:timers/promises";
import type { Log } from "../log.ts";

/** A process that was started. */
export type StartedProcess = {
  readonly pid: number | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Asks it to finish its work and to end. */
  readonly stop: () => void;
  readonly kill: () => void;
};

export type ProcessGroupOptions = {
  readonly count: number;
  /** @param number from 0; a process that replaces another one has the same */
  readonly start: (number: number) => StartedProcess;
  readonly onEnd: (number: number) => void;
  readonly log: Pick<Log, "error" | "info">;
  /** Delay before a process is replaced, in milliseconds. It doubles up to `longest` with each process that ends soon. */
  readonly delay?: number;
  readonly longest?: number;
};

/** Milliseconds after which a process counts as one that works. */
const worksAfter = 60_000;

/** A fixed number of processes. One that ends is replaced, with exponential backoff. */
export class ProcessGroup {
  readonly #options: Required<ProcessGroupOptions>;
  readonly #running = new Map<number, StartedProcess>();
  readonly #stopping = new AbortController();
  readonly #supervised: readonly Promise<void>[];
  #replaced = 0;

  constructor(options: ProcessGroupOptions) {
    this.#options = { delay: 100, longest: 30_000, ...options };
    this.#supervised = Array.from({ length: options.count }, (_, number) => this.#supervise(number));
  }

  /** Number of processes that were replaced since the start. */
  get replaced(): number {
    return this.#replaced;
  }

  /** Number of processes that run. */
  get size(): number {
    return this.#running.size;
  }

  /**
   * Stops all processes.
   *
   * @param milliseconds after which those that still run are killed
   */
  async stop(milliseconds: number): Promise<void> {
    this.#stopping.abort();
    for (const { stop } of this.#running.values()) stop();
    const stopped = Promise.all(this.#supervised);
    const waited = new AbortController();
    const late = setTimeout(milliseconds, undefined, waited).then(() => {
      for (const [number, { pid, kill }] of this.#running) {
        this.#options.log.error({ process: number, pid }, "a process did not stop in time, and was killed");
        kill();
      }
    });
    await stopped;
    waited.abort();
    await late.catch(() => {});
  }

  async #supervise(number: number): Promise<void> {
    const { start, onEnd, log, delay, longest } = this.#options;
    const { signal } = this.#stopping;
    let next = delay;
    for (;;) {
      const started = performance.now();
      const running = start(number);
      this.#running.set(number, running);
      const end = await running.ended;
      this.#running.delete(number);
      onEnd(number);
      if (signal.aborted) return;
      if (performance.now() - started > worksAfter) next = delay;
      log.error(
        { process: number, pid: running.pid, ...end, delay: next },
        "a process has ended, and is replaced after the delay",
      );
      await setTimeout(next, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      next = Math.min(2 * next, longest);
      this.#replaced++;
    }
  }
}
