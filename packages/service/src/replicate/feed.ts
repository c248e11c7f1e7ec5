import { createHash } from "node:crypto";
import { keyFieldOf, type ResourceName, resourceNames } from "@cadastre/reso";
import { FeedError } from "./feed-error.ts";

/** Entity set of another RESO Web API, and the selection of its records to replicate. */
export type SourceFeed = {
  /** URL of the entity set. */
  readonly url: URL;
  /** Name of its key property. Empty for what is not a resource of the service. */
  readonly key: string;
  /** Sent as `Authorization: Bearer`. Undefined if the feed needs none. */
  readonly apiKey: string | undefined;
  /** `$filter` for the records. Undefined: all records. */
  readonly filter: string | undefined;
  /** `$select` for the records. Undefined: all fields. */
  readonly select: string | undefined;
};

export type FeedOptions = Pick<SourceFeed, "apiKey" | "filter" | "select">;

/**
 * Returns the feed of a resource, or of a description such as `$metadata`, at the service root of a Web API.
 *
 * @throws {FeedError} if the URL is invalid, or the API key would be sent over plain HTTP to another machine
 */
export function feedOf(root: string, name: string, options: FeedOptions): SourceFeed {
  const url = URL.canParse(root) ? new URL(root) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FeedError("the address of the feed must begin with https://");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new FeedError("the address of the feed must have no user, no query and no fragment");
  if (options.apiKey !== undefined && url.protocol === "http:" && !isLocal(url.hostname))
    throw new FeedError("a key is sent over https alone: http is for this machine");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${name}`;
  return { ...options, url, key: isResource(name) ? keyFieldOf(name) : "" };
}

const isResource = (name: string): name is ResourceName =>
  (resourceNames as readonly string[]).includes(name);

const isLocal = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Returns a hash that identifies the feed: of its URL, `$filter` and `$select`, but not its API key. */
export const feedId = ({ url, filter = "", select = "" }: SourceFeed): string =>
  createHash("sha256")
    .update(JSON.stringify([url.href, filter, select]))
    .digest("hex");

/** Returns the URL of the first page of the records modified at or after `since` (null: all), in the order of modification. */
export function changesUrl({ url, key, filter, select }: SourceFeed, since: string | null): URL {
  const conditions = [
    ...(since === null ? [] : [`ModificationTimestamp ge ${since}`]),
    ...(filter === undefined ? [] : [`(${filter})`]),
  ];
  return withOptions(url, {
    $filter: conditions.length === 0 ? undefined : conditions.join(" and "),
    $select: select,
    $orderby: `ModificationTimestamp,${key}`,
  });
}

/** Returns the URL of the first page of all keys. */
export const keysUrl = ({ url, key, filter }: SourceFeed): URL =>
  withOptions(url, { $filter: filter, $select: key, $orderby: key });

function withOptions(url: URL, options: Readonly<Record<string, string | undefined>>): URL {
  const made = new URL(url.href);
  const given = Object.entries(options).filter(([, text]) => text !== undefined);
  made.search = given.map(([name, text = ""]) => `${name}=${encodeURIComponent(text)}`).join("&");
  return made;
}

/** Maximum length of a link that is followed, in UTF-16 code units. */
const maxLink = 65_536;

/**
 * Resolves a next link or redirect. It must have the same origin, because the API key is sent to it.
 *
 * @throws {FeedError}
 */
export function followed(link: string, from: URL): URL {
  if (link.length > maxLink) throw new FeedError(`${shown(from)} names a next address that is too long`);
  const next = URL.canParse(link, from.href) ? new URL(link, from) : undefined;
  if (next === undefined || next.origin !== from.origin || next.username !== "" || next.password !== "")
    throw new FeedError(
      `${shown(from)} names a next address outside of ${from.origin}: it is not followed, for the key would go there`,
    );
  return next;
}

/** Returns a URL for messages: without its query, which may contain a token, and truncated, because it may come from the feed. */
export const shown = ({ origin, pathname }: URL): string => origin + pathname.slice(0, 200);
