import { Refused } from "../../errors.ts";
import { odataRoot } from "../../http/odata-protocol.ts";
import { maxUrlLength } from "../../http/request-head.ts";
import { encodeUnsafe } from "../unsafe.ts";

/** Path and query of a request of a batch. */
export type ItemAddress = {
  /** Percent-encoded, starts with the OData root. */
  readonly path: string;
  readonly query: string;
};

/**
 * Resolves the URL of a request in a batch, JSON or multipart: absolute, an absolute path, or relative to the service root.
 * Source: OData JSON Format 4.01, section 19.1; OData Protocol 4.01, section 11.7.7.2.
 *
 * @param root absolute URL of the service root
 * @throws {Refused} `not_found` if the URL is not under the service root, `uri_too_long`
 */
export function resolveUrl(url: string, root: string): ItemAddress {
  if (url.length > maxUrlLength) throw new Refused("uri_too_long");
  const [path = "", ...rest] = encodeUnsafe(belowRoot(url, root)).split("?");
  return { path: odataRoot + path, query: rest.join("?") };
}

function belowRoot(url: string, root: string): string {
  const { origin, pathname } = new URL(root);
  const isAbsolute = /^https?:\/\//i.test(url);
  if (isAbsolute && url.slice(0, origin.length).toLowerCase() !== origin) throw new Refused("not_found");
  const path = isAbsolute ? url.slice(origin.length) : url;
  if (!isAbsolute && !path.startsWith("/")) return `/${path}`;
  // Behind a proxy, the path that clients use may differ from the service's own.
  for (const start of [pathname, odataRoot]) {
    if (path.startsWith(start) && /^(?:[/?]|$)/.test(path.slice(start.length)))
      return path.slice(start.length);
  }
  throw new Refused("not_found");
}
