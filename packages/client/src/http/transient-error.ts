import { ClientError } from "../errors.ts";

/** A transient error: a retry may succeed. */
export class TransientError extends Error {
  override readonly name: string = "Passing";
  /** Pause that the server asks for, in milliseconds. */
  readonly wait: number | undefined;
  /** The error to report when retries do not help. */
  readonly otherwise: ClientError | undefined;

  constructor(
    reason: string,
    { wait, otherwise }: { wait?: number | undefined; otherwise?: ClientError } = {},
  ) {
    super(reason);
    this.wait = wait;
    this.otherwise = otherwise;
  }
}

/** Bytes that were received completely but have the wrong hash or length. They are fetched at most {@link mostDamaged} times. */
export class DamagedAnswer extends TransientError {
  override readonly name = "Damaged";
  /** The error to report after the last attempt. */
  readonly distrust: ClientError;

  constructor(reason: string, distrust: ClientError) {
    super(reason);
    this.distrust = distrust;
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
