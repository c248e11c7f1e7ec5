import { parseExactJson } from "./json.ts";
import { ServiceError, serviceErrorOf } from "./service-error.ts";

/** A request of the public API. */
export type ApiRequest = {
  /** Path below the page, with its query: `reso/odata/Property?$top=1`. */
  readonly path: string;
  readonly apiKey: string;
  readonly signal?: AbortSignal | undefined;
  readonly method?: "GET" | "POST" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns the address of a path, which must be of this service. A key goes nowhere else. */
export function addressOf(path: string): URL {
  const base = new URL(".", document.baseURI);
  const url = new URL(path, base);
  if (url.origin !== base.origin)
    throw new ServiceError(0, "other_origin", "the address is of another server");
  return url;
}

/** Sends a request with the key in its header. Returns the response of a request that succeeded. */
export async function sendRequest(request: ApiRequest): Promise<Response> {
  const { path, apiKey, signal, method = "GET", body, headers } = request;
  const response = await fetch(addressOf(path), {
    method,
    // Nothing that a key shows is kept on the disk, and two keys do not wait for each other's answer from one address.
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    headers: {
      accept: "application/json",
      ...headers,
      "x-api-key": apiKey,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ServiceError(0, "unreachable", "the service cannot be reached: is it still running?");
  });
  if (response.ok) return response;
  throw serviceErrorOf(response.status, await response.json().catch(() => undefined));
}

/** Sends a request and returns the JSON of its response. */
export async function requestJson(request: ApiRequest): Promise<unknown> {
  return parseExactJson(await (await sendRequest(request)).text());
}
