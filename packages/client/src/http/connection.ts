import { requireKey } from "../api-key.ts";
import { ClientError } from "../errors.ts";
import { defaultRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
import { asUnreachable } from "./unreachable.ts";

/** A request to the server. It has a path, not an address, so that nothing is ever sent to another origin. */
export type Ask = {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
  /** Header `Prefer`. */
  readonly prefer?: string;
  /** Sent beside the API key. */
  readonly bearerToken?: string;
  /** The bytes from a position on, if the representation still has this `ETag`. */
  readonly range?: { readonly from: number; readonly etag: string };
};

/** A server with the API key for it. The key cannot be read from this object. */
export type Connection = {
  /** For example `https://listings.example`. */
  readonly origin: string;
  /** Where the API key comes from, for messages. */
  readonly keyPlace: string;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal | undefined;
  /** Called before each retry, with its reason and the pause in milliseconds. */
  readonly onRetry: (reason: string, pause: number) => void;
  /** Sends one request. Redirects are not followed. */
  readonly send: (ask: Ask, signal: AbortSignal) => Promise<Response>;
};

export type ConnectionOptions = {
  /** Origin of the service. */
  readonly url: string;
  readonly apiKey: string;
  /** Where the API key comes from, for messages: `the variable CADASTRE_API_KEY`. */
  readonly keyPlace?: string;
  readonly retryPolicy?: Partial<RetryPolicy>;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: Connection["onRetry"];
};

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Connects to a service. @throws {ClientError} `url_invalid`, `api_key_invalid` */
export function connect(options: ConnectionOptions): Connection {
  const { origin } = originOf(options.url);
  const { apiKey, keyPlace = "`apiKey`", signal, retryPolicy, onRetry = () => {} } = options;
  requireKey(apiKey, keyPlace);
  let hasAnswered = false;
  return {
    origin,
    keyPlace,
    retryPolicy: { ...defaultRetryPolicy, ...retryPolicy },
    signal,
    onRetry,
    send: (
      { method = "GET", path, body, accept = "application/json", prefer, bearerToken, range },
      until,
    ) => {
      const url = new URL(path, origin);
      if (url.origin !== origin || !path.startsWith("/"))
        throw new ClientError("url_invalid", { reason: "path" });
      const headers = {
        "x-api-key": apiKey,
        accept,
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(prefer === undefined ? {} : { prefer }),
        ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
        ...(range === undefined ? {} : { range: `bytes=${range.from}-`, "if-range": range.etag }),
      };
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      return fetch(url, { method, headers, ...content, redirect: "manual", signal: until }).then(
        (response) => {
          hasAnswered = true;
          return response;
        },
        (error: unknown) => {
          throw asUnreachable(error, origin, hasAnswered);
        },
      );
    },
  };
}

/** Returns what to write instead of an address without a scheme, for the message that refuses it. */
function suggestedAddress(text: string): string {
  const local = `http://${text}`;
  return URL.canParse(local) && loopback.test(new URL(local).hostname) ? local : `https://${text}`;
}

/** Parses an origin. @throws {ClientError} `url_invalid` unless it is `https`, or `http` to this machine */
export function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fault = (reason: string) => new ClientError("url_invalid", { reason });
  if (!text.includes("://")) throw fault(`write ${suggestedAddress(text)}`);
  if (url === null) throw fault("no address");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname)))
    throw fault("a key would travel in the clear");
  if (url.username !== "" || url.password !== "") throw fault("it names a user");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") throw fault("it has a path");
  return url;
}
