/** Invalid address or answer of a feed. The message says what is wrong and what to do, and contains neither the API key nor data. */
export class FeedError extends Error {
  override readonly name = "FeedError";
}
