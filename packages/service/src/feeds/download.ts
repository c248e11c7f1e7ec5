import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { leaveBody, retryAfter } from "@cadastre/client/http";
import type { FeedAuthorization } from "../replicate/authorization.ts";
import { feedUrl, shown } from "../replicate/feed.ts";
import { FeedError } from "../replicate/feed-error.ts";

type Download = {
  readonly url: string;
  readonly file: string;
  readonly authorization: FeedAuthorization | undefined;
  readonly signal: AbortSignal;
};

/**
 * Writes a document to a file. A token that is refused is fetched anew once.
 *
 * @throws {FeedError}
 */
export async function download({ url: text, file, authorization, signal }: Download): Promise<void> {
  const url = feedUrl(text, authorization !== undefined);
  const ask = async () =>
    fetch(url, { headers: { ...(await authorization?.headers(signal)) }, redirect: "manual", signal });
  try {
    let response = await ask();
    if (response.status === 401 && authorization?.renew() === true) {
      leaveBody(response.body);
      response = await ask();
    }
    const { status, headers, body } = response;
    if (status !== 200 || body === null) {
      leaveBody(body);
      throw new FeedError(`${shown(url)} gave ${status}`, {
        wait: retryAfter(headers.get("retry-after"), Date.now()),
      });
    }
    await pipeline(Readable.fromWeb(body), createWriteStream(file, { mode: 0o600 }), { signal });
  } catch (cause) {
    if (cause instanceof FeedError) throw cause;
    throw new FeedError(`${shown(url)} could not be read`, { cause });
  }
}
