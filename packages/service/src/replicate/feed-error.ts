/**
 * Invalid address or answer of a feed. The message says what is wrong and what to do. It contains neither secrets nor data, but for the query
 * that a feed refuses and its words about it.
 */
export class FeedError extends Error {
  override readonly name = "FeedError";
  /** Pause that the feed asks for before the next attempt, in milliseconds. Undefined: none. */
  readonly wait: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly wait?: number | undefined } = {}) {
    super(message, options);
    this.wait = options.wait;
  }
}
