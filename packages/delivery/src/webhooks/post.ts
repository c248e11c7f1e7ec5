import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { checkedAddresses, hostOf, pinnedTo, type Resolve } from "../outbound/pinned-address.ts";
import { readInPieces } from "./pieces.ts";
import { isReachable, type WebhookReach } from "./url.ts";

export type PostOptions = WebhookReach & {
  /** By default the resolver of the operating system. */
  readonly resolve?: Resolve | undefined;
  /** Time limit for the whole request, in milliseconds. By default 10,000. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** W3C `traceparent` of the request. It is not covered by the signature. */
  readonly traceparent?: string | undefined;
};

/** Maximum number of informational responses (1xx) before the answer. Without a limit, a server could send them endlessly. */
const mostInformation = 8;

/** Answer to a message: the status, and the text of the header `Retry-After`. */
export type PostAnswer = { readonly status: number; readonly retryAfter: string | undefined };

/** The server did not answer in time. */
export class PostTimeout extends Error {
  override readonly name = "PostTimeout";
}

/**
 * Posts a JSON text. The host name is resolved once, and the connection goes only to the addresses that were checked (against DNS
 * rebinding). Redirects are not followed, and the body of the answer is not read.
 *
 * @throws {PostTimeout}, and other errors if the address is not allowed or cannot be reached
 */
export async function post(
  url: URL,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  options: PostOptions,
): Promise<PostAnswer> {
  const { timeout = 10_000, signal: stop } = options;
  stop?.throwIfAborted();
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(new PostTimeout()), timeout);
  const stopped = () => ending.abort(stop?.reason);
  stop?.addEventListener("abort", stopped);
  try {
    return await Promise.race([postTo(url, message, options, signal), aborted(signal)]);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", stopped);
    ending.abort();
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

async function postTo(
  url: URL,
  { headers, body }: Parameters<typeof post>[1],
  options: PostOptions,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const checked = await checkedAddresses(
    hostOf(url),
    (address) => isReachable(address, options),
    options.resolve,
  );
  signal.throwIfAborted();
  const content = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const request = isSecure ? requestHttps : requestHttp;
    let informed = 0;
    const sent = request(
      url,
      {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          "content-length": content.length,
          "user-agent": "cadastre-webhooks",
          ...(options.traceparent === undefined ? {} : { traceparent: options.traceparent }),
        },
        // A new connection for each message: a pooled one would go to an address that was checked for another message.
        agent: readInPieces(isSecure ? new HttpsAgent() : new HttpAgent()),
        lookup: pinnedTo(checked),
        signal,
      },
      (response) => {
        const { statusCode = 0, headers: answered } = response;
        response.destroy();
        resolve({ status: statusCode, retryAfter: answered["retry-after"] });
      },
    );
    sent.on("information", () => {
      informed += 1;
      if (informed > mostInformation) sent.destroy(new RangeError("too many informational responses"));
    });
    sent.on("error", reject).end(content);
  });
}
