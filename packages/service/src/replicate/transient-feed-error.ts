/** Transient error: the request is retried. */
export class TransientFeedError extends Error {
  override readonly name = "TransientError";
  /** Pause that the feed asks for, in milliseconds. */
  readonly wait: number | undefined;

  constructor(reason: string, wait?: number) {
    super(reason);
    this.wait = wait;
  }
}

/** Converts an error of the connection, or of an incomplete answer, to a transient error. */
export function toTransientError(error: unknown): TransientFeedError {
  if (error instanceof Error && error.name === "TimeoutError")
    return new TransientFeedError("gave no answer in time");
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new TransientFeedError(`could not be read${code}`);
}
