import { createHash } from "node:crypto";
import { shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";

/** Maximum number of pages of a run. The next run goes on after the last one. */
const maxPages = 200_000;

/** Addresses of the pages that were read, as hashes: an address may be long. */
export class VisitedPages {
  readonly #hashes = new Set<string>();
  readonly #most: number;

  constructor(most = maxPages) {
    this.#most = most;
  }

  /**
   * Adds an address. Returns false if it was added before.
   *
   * @throws {FeedError} if there are too many
   */
  add(url: URL): boolean {
    const hash = createHash("sha256").update(url.href).digest("base64url").slice(0, 22);
    if (this.#hashes.has(hash)) return false;
    if (this.#hashes.size >= this.#most)
      throw new FeedError(
        `${shown(url)} gives more than ${this.#most} pages in one run: it must give larger ones`,
      );
    this.#hashes.add(hash);
    return true;
  }
}
