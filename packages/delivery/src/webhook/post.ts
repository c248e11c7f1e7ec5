import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { hostOf, isReachable, type WebhookReach } from "./url.ts";

/** All addresses of a name. */
type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export type PostOptions = WebhookReach & {
  /** By default what the operating system does. */
  readonly resolve?: Resolve | undefined;
  /** How long it may take in all, in milliseconds. By default 10,000. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Informational responses (1xx) that may come before the answer. Without a limit they would come as fast as the network carries them. */
const mostInformation = 8;

/** What was answered: the status, and the text of the header `Retry-After`. */
export type PostAnswer = { readonly status: number; readonly retryAfter: string | undefined };

/** Nothing was answered in time. */
export class PostTimeout extends Error {
  override readonly name = "PostTimeout";
}

/**
 * Post a JSON text. The name is looked up once, and the connection goes to no other address than those that were checked; no
 * redirect is followed, and nothing of the answer's body is read.
 *
 * @throws {PostTimeout}, and anything else if it cannot be reached or may not be
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
  const checked = await checkedAddresses(hostOf(url), options);
  signal.throwIfAborted();
  const content = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
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
        },
        // A connection of its own: none to an address that was checked for another message.
        agent: false,
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

/** @throws if there is none, or one that may not be connected to */
async function checkedAddresses(host: string, options: PostOptions): Promise<LookupAddress[]> {
  const { resolve = resolveByDefault } = options;
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isReachable(address, options)))
    throw new RangeError("the address may not be connected to");
  return [...addresses];
}

const resolveByDefault: Resolve = (host) => lookup(host, { all: true });

/** Gives the addresses that were checked, whatever the name leads to by now. */
const pinnedTo =
  (checked: LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = checked;
    if (all === true) callback(null, checked);
    else callback(null, first?.address ?? "", first?.family);
  };
