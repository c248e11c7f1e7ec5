import { createHash } from "node:crypto";
import { type ResourceName, resource } from "@cadastre/reso";
import { FeedError } from "./feed-error.ts";

/** A set of another RESO Web API, and what of it is pulled. */
export type Feed = {
  /** Address of the set. */
  readonly url: URL;
  /** Its property that is the key. */
  readonly key: string;
  /** Sent as `Authorization: Bearer`; undefined for a feed that asks for none. */
  readonly apiKey: string | undefined;
  /** A `$filter` that every record must pass; undefined for all of them. */
  readonly filter: string | undefined;
  /** A `$select` of the records; undefined for whole ones. */
  readonly select: string | undefined;
};

export type FeedOptions = Pick<Feed, "apiKey" | "filter" | "select">;

/**
 * The feed of a resource below the root of a Web API.
 *
 * @throws {FeedError} for an address that is none, or that a key may not be sent to.
 */
export function feedOf(root: string, name: ResourceName, options: FeedOptions): Feed {
  const url = URL.canParse(root) ? new URL(root) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FeedError("the address of the feed must begin with https://");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new FeedError("the address of the feed must have no user, no query and no fragment");
  if (options.apiKey !== undefined && url.protocol === "http:" && !isLocal(url.hostname))
    throw new FeedError("a key is sent over https alone: http is for this machine");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${name}`;
  return { ...options, url, key: resource(name).key };
}

const isLocal = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Tells a feed from another, whatever its key. */
export const feedId = ({ url, filter = "", select = "" }: Feed): string =>
  createHash("sha256")
    .update(JSON.stringify([url.href, filter, select]))
    .digest("hex");

/** First page of the records that were modified at `since` or later, in that order; of all if it is null. */
export function changesUrl({ url, key, filter, select }: Feed, since: string | null): URL {
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

/** First page of all keys. */
export const keysUrl = ({ url, key, filter }: Feed): URL =>
  withOptions(url, { $filter: filter, $select: key, $orderby: key });

function withOptions(url: URL, options: Readonly<Record<string, string | undefined>>): URL {
  const made = new URL(url.href);
  const given = Object.entries(options).filter(([, text]) => text !== undefined);
  made.search = given.map(([name, text = ""]) => `${name}=${encodeURIComponent(text)}`).join("&");
  return made;
}

/** Longest address that is followed, in UTF-16 code units. */
const maxLink = 65_536;

/**
 * The address that a page or a redirection of the feed names: of the same origin, for the key goes with it.
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

/** An address as it is told: without its query, which may hold a token, and short, for a feed may have named it. */
export const shown = ({ origin, pathname }: URL): string => origin + pathname.slice(0, 200);
