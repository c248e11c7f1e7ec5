/** Invalid address or answer of a feed. The message says what is wrong and what to do, and contains neither the API key nor data. */
export class FeedError extends Error {
  override readonly name = "FeedError";
  /** Pause that the feed asks for before the next attempt, in milliseconds. Undefined: none. */
  readonly wait: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly wait?: number | undefined } = {}) {
    super(message, options);
    this.wait = options.wait;
  }
}
