import { StoreError, type StoreErrorCode } from "../../errors.ts";

/** Stops a read at its deadline, or when its caller aborts it. */
export class ReadDeadline {
  #code: StoreErrorCode | undefined;
  #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  #act: () => void = () => {};

  /** @param timeout milliseconds from now */
  constructor(timeout: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.stopNow("query_timeout"), timeout);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted === true) this.stopNow("query_canceled");
  }

  /** Replaces the deadline by one `timeout` milliseconds from now. */
  endAfter(timeout: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stopNow("query_timeout"), timeout);
  }

  readonly #abort = (): void => this.stopNow("query_canceled");

  /** Reason for stopping; undefined while the read may continue. */
  get code(): StoreErrorCode | undefined {
    return this.#code;
  }

  /** Stops the read. Calls after the first have no effect. */
  stopNow(code: StoreErrorCode): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.#act();
  }

  /** Sets the action that stops the read. It is called immediately if the read must stop already. */
  set act(act: () => void) {
    this.#act = act;
    if (this.#code !== undefined) act();
  }

  /** @throws {StoreError} if the read must stop */
  check(): void {
    if (this.#code !== undefined) throw new StoreError(this.#code);
  }

  /** Releases the timer and the listener. Call it when the read has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#act = () => {};
  }
}
