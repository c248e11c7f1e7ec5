import { ProtocolError } from "../errors.ts";
import { encodeUnsafe, maxUrlLength } from "../protocol/url-text.ts";

/** Path and query of a request of a batch. */
export type ItemAddress = {
  /** Percent-encoded, below the service root: empty, or with a slash at its start. */
  readonly path: string;
  readonly query: string;
};

/**
 * Resolves the URL of a request in a batch, JSON or multipart: absolute, an absolute path, or relative to the service root.
 * Source: OData JSON Format 4.01, section 19.1; OData Protocol 4.01, section 11.7.7.2.
 *
 * @param root absolute URL of the service root
 * @param ownRoot path of the service root as the service is reached, which may differ from that of `root` behind a proxy
 * @throws {ProtocolError} `not_found` if the URL is not under the service root, `uri_too_long`
 */
export function resolveUrl(url: string, root: string, ownRoot: string): ItemAddress {
  if (url.length > maxUrlLength) throw new ProtocolError("uri_too_long");
  const [path = "", ...rest] = encodeUnsafe(belowRoot(url, root, ownRoot)).split("?");
  return { path, query: rest.join("?") };
}

function belowRoot(url: string, root: string, ownRoot: string): string {
  const { origin, pathname } = new URL(root);
  const isAbsolute = /^https?:\/\//i.test(url);
  if (isAbsolute && url.slice(0, origin.length).toLowerCase() !== origin)
    throw new ProtocolError("not_found");
  const path = isAbsolute ? url.slice(origin.length) : url;
  if (!isAbsolute && !path.startsWith("/")) return `/${path}`;
  for (const start of [pathname, ownRoot]) {
    if (path.startsWith(start) && /^(?:[/?]|$)/.test(path.slice(start.length)))
      return path.slice(start.length);
  }
  throw new ProtocolError("not_found");
}
