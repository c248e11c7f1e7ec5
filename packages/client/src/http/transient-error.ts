import { ClientError } from "../errors.ts";

/** A transient error: a retry may succeed. */
export class TransientError extends Error {
  override readonly name: string = "TransientError";
  /** Pause that the server asks for, in milliseconds. */
  readonly wait: number | undefined;
  /** The error to report after the last retry. Undefined: `server_busy`. */
  readonly finalError: ClientError | undefined;

  constructor(
    reason: string,
    { wait, finalError }: { wait?: number | undefined; finalError?: ClientError } = {},
  ) {
    super(reason);
    this.wait = wait;
    this.finalError = finalError;
  }
}

/** Bytes that were received completely but have the wrong hash or length. They are fetched at most {@link mostDamaged} times. */
export class DamagedAnswer extends TransientError {
  override readonly name = "DamagedAnswer";
  override readonly finalError: ClientError;

  constructor(reason: string, finalError: ClientError) {
    super(reason);
    this.finalError = finalError;
  }
}

/** Number of damaged answers after which the client gives up. */
export const mostDamaged = 3;

/** Returns the error for an answer that does not come or breaks off: a transient one, unless it is classified already. */
export function asTransientError(error: unknown): Error {
  if (error instanceof ClientError || error instanceof TransientError) return error;
  if (error instanceof Error && error.name === "AbortError") return new TransientError("it fell silent");
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new TransientError(`it could not be read${code}`);
}
