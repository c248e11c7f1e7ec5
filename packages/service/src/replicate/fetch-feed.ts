import { setTimeout } from "node:timers/promises";
import {
  anySignal,
  backoff,
  leaveBody,
  maxRetryAfter,
  type RetryPolicy,
  readBody,
  retryAfter,
} from "@cadastre/client/http";
import { isAborted, runStopped } from "./abort.ts";
import { type FeedAuthorization, sendAuthorized } from "./authorization.ts";
import { followed, type SourceFeed, shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import { RefusedRequest, refusalWords } from "./refused-request.ts";
import { TransientFeedError, toTransientError } from "./transient-feed-error.ts";

/** Feed to read, with the page size and retry limits. */
export type FeedRequest = {
  readonly feed: SourceFeed;
  readonly retryPolicy: RetryPolicy;
  /** Requested number of records per page. */
  readonly pageSize: number;
  /** A preference more, such as `odata.track-changes`. */
  readonly preference?: string;
  /** Media types of the answer. Default: JSON. */
  readonly accept?: readonly string[];
  /** Called before a retry, with the pause in milliseconds. */
  readonly onRetry: (reason: string, pause: number) => void;
  /** Headers that authorize the requests, in place of the API key of the feed. */
  readonly authorization?: FeedAuthorization | undefined;
  /** Ends the requests and pauses. */
  readonly signal?: AbortSignal | undefined;
};

/** Maximum size of a decompressed answer, in bytes. */
const maxAnswer = 64 * 1024 * 1024;

/** Maximum number of JSON values in an answer. Millions of empty objects would take far more memory than their text. */
const maxValues = 2_500_000;

/** Maximum number of successive redirects. */
const maxRedirections = 5;

const jsonAlone: readonly string[] = ["application/json"];

/** Status codes that are retried. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Fetches an answer and returns its text. Retries transient errors with exponential backoff.
 *
 * @throws {FeedError}
 */
export async function fetchFeed(url: URL, asking: FeedRequest): Promise<string> {
  const { retryPolicy, onRetry, signal } = asking;
  for (let tries = 1; ; tries++) {
    try {
      return await answerOf(url, asking, anySignal(signal, AbortSignal.timeout(retryPolicy.timeout)));
    } catch (error) {
      if (isAborted(signal)) throw runStopped();
      if (!(error instanceof TransientFeedError)) throw error;
      const reason = `${shown(url)} ${error.message}`;
      if (tries >= retryPolicy.tries)
        throw new FeedError(`${reason}, ${tries} times: start again later`, { wait: error.wait });
      const { wait } = error;
      if (wait !== undefined && wait > maxRetryAfter)
        throw new FeedError(`${reason}, and asks for a pause of ${Math.ceil(wait / 60_000)} minutes`, {
          wait,
        });
      // Random jitter on top of the requested pause, because the feed may have told other clients the same pause.
      const pause = (wait ?? 0) + backoff(tries, retryPolicy, Math.random());
      onRetry(reason, pause);
      await setTimeout(pause, undefined, { signal }).catch(() => {
        throw runStopped();
      });
    }
  }
}

async function answerOf(
  url: URL,
  { pageSize, accept = jsonAlone, authorization, preference }: FeedRequest,
  signal: AbortSignal,
): Promise<string> {
  const own = {
    accept: accept.join(", "),
    "odata-maxversion": "4.0",
    prefer: [`odata.maxpagesize=${pageSize}`, "omit-values=nulls", preference].filter(Boolean).join(", "),
  };
  let secrets: Readonly<Record<string, string>> = {};
  const response = await sendAuthorized(authorization, signal, (headers) => {
    secrets = headers;
    return followRedirects(url, { ...own, ...headers }, signal);
  });
  const answered = new URL(response.url);
  await requireSuccess(response, answered, accept, () => refusalWords(response, secrets, signal));
  return await textOf(response, answered, signal);
}

/** @throws {FeedError} if a redirect leads to another origin, to which the headers are not sent */
async function followRedirects(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  for (let at = url, redirections = 0; ; redirections++) {
    const response = await fetch(at, { headers, redirect: "manual", signal }).catch((error: unknown) => {
      throw toTransientError(error);
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    leaveBody(response.body);
    if (redirections === maxRedirections) throw new FeedError(`${shown(url)} redirects again and again`);
    at = followed(location, at);
  }
}

/** @param readWords reads the feed's own words from the body */
async function requireSuccess(
  response: Response,
  url: URL,
  accept: readonly string[],
  readWords: () => Promise<string | undefined>,
): Promise<void> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "no type";
  const mediaType = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (status === 200 && accept.includes(mediaType)) return;
  if (status !== 200 && !passing.has(status) && status !== 401 && status !== 403)
    throw new RefusedRequest(`${shown(url)} gave ${status}`, await readWords(), status);
  leaveBody(response.body);
  if (passing.has(status))
    throw new TransientFeedError(`gave ${status}`, retryAfter(headers.get("retry-after"), Date.now()));
  if (status === 401 || status === 403)
    throw new FeedError(`${shown(url)} gave ${status}: give a key that may read it`);
  throw new FeedError(
    `${shown(url)} gave \`${type.replace(/[^ -~]/g, "?").slice(0, 64)}\` and no ${accept === jsonAlone ? "JSON" : "metadata"}: is it an OData address?`,
  );
}

async function textOf({ body }: Response, url: URL, signal: AbortSignal): Promise<string> {
  const bytes = await readBody(body, { signal, most: maxAnswer }).catch((error: unknown) => {
    throw toTransientError(error);
  });
  if (bytes === undefined) throw new FeedError(`${shown(url)} gave more than ${maxAnswer} bytes`);
  if (hasMoreValues(bytes, maxValues))
    throw new FeedError(
      `${shown(url)} gave more than ${maxValues} values in one answer: it must give smaller pages`,
    );
  return bytes.toString("utf8");
}

const [comma, openArray, openObject] = [0x2c, 0x5b, 0x7b];

/** True if a JSON text has more than `most` values. Those in strings are counted as well. */
function hasMoreValues(bytes: Buffer, most: number): boolean {
  let count = 0;
  for (let i = 0; i < bytes.length && count <= most; i++) {
    const byte = bytes[i];
    if (byte === comma || byte === openArray || byte === openObject) count++;
  }
  return count > most;
}
