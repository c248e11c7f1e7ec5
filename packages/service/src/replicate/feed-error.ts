/** A feed does not answer as it must. The message says why and what to do, and holds neither key nor data. */
export class FeedError extends Error {
  override readonly name = "FeedError";
}
