import { StoreError, type StoreErrorCode } from "../errors.ts";

/** Ends a read before it is done: at its deadline, or when its caller gives it up. */
export class Stop {
  /** Why the read is to end; undefined while it may go on. */
  #code: StoreErrorCode | undefined;
  #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  #act: () => void = () => {};

  /** @param timeout milliseconds from now */
  constructor(timeout: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.now("query_timeout"), timeout);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted === true) this.now("query_canceled");
  }

  /** Ends the read after so many milliseconds from now, and no more at the time that was set before. */
  endAfter(timeout: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now("query_timeout"), timeout);
  }

  readonly #abort = (): void => this.now("query_canceled");

  get code(): StoreErrorCode | undefined {
    return this.#code;
  }

  now(code: StoreErrorCode): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.#act();
  }

  /** What is to be done when the read is to end; at once if that is so already. */
  set act(act: () => void) {
    this.#act = act;
    if (this.#code !== undefined) act();
  }

  /** @throws {StoreError} if the read is to end */
  check(): void {
    if (this.#code !== undefined) throw new StoreError(this.#code);
  }

  /** The read is over, one way or the other. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#act = () => {};
  }
}
