import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { anySignal, leaveBody, retryAfter } from "@cadastre/client/http";
import { type FeedAuthorization, sendAuthorized } from "../replicate/authorization.ts";
import { feedUrl, shown } from "../replicate/feed.ts";
import { FeedError } from "../replicate/feed-error.ts";

type Download = {
  readonly url: string;
  readonly file: string;
  readonly authorization: FeedAuthorization | undefined;
  readonly signal: AbortSignal;
  readonly limits?: DownloadLimits;
};

type DownloadLimits = {
  /** Maximum size of the document after decompression, in bytes. */
  readonly bytes: number;
  /** Longest time without data, in milliseconds. */
  readonly silence: number;
  /** Longest duration of the download, in milliseconds. */
  readonly duration: number;
};

const usualLimits: DownloadLimits = { bytes: 4 * 1024 ** 3, silence: 60_000, duration: 6 * 60 * 60_000 };

/**
 * Writes a document to a file. A token that is refused is fetched anew once. Redirects are not followed, because the credentials would be
 * sent there.
 *
 * @throws {FeedError}
 */
export async function download({
  url: text,
  file,
  authorization,
  signal: stop,
  limits = usualLimits,
}: Download): Promise<void> {
  const url = feedUrl(text, authorization !== undefined);
  const late = new AbortController();
  const fail = (reason: string) => late.abort(new FeedError(`${shown(url)} ${reason}`));
  const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;
  const whole = setTimeout(fail, limits.duration, `took longer than ${seconds(limits.duration)}`);
  const silence = setTimeout(fail, limits.silence, `sent nothing for ${seconds(limits.silence)}`);
  const signal = anySignal(stop, late.signal);
  try {
    const response = await sendAuthorized(authorization, signal, (headers) =>
      fetch(url, { headers, redirect: "manual", signal }),
    );
    const { status, headers, body } = response;
    if (status !== 200 || body === null) {
      leaveBody(body);
      const redirect = status >= 300 && status < 400 ? ": give the address that it redirects to" : "";
      throw new FeedError(`${shown(url)} gave ${status}${redirect}`, {
        wait: retryAfter(headers.get("retry-after"), Date.now()),
      });
    }
    let bytes = 0;
    const bounded = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        silence.refresh();
        bytes += chunk.length;
        if (bytes > limits.bytes)
          throw new FeedError(`${shown(url)} gave more than ${limits.bytes} bytes: read it with --files`);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(body), bounded, createWriteStream(file, { mode: 0o600 }), { signal });
  } catch (cause) {
    if (late.signal.aborted) throw late.signal.reason;
    if (cause instanceof FeedError) throw cause;
    throw new FeedError(`${shown(url)} could not be read`, { cause });
  } finally {
    clearTimeout(whole);
    clearTimeout(silence);
  }
}
