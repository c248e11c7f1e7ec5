import { createHash } from "node:crypto";
import { textLiteral } from "@cadastre/odata/tree";
import { keyFieldOf, type ResourceName, resourceNames } from "@cadastre/reso";
import { type SourceMapping, sourceName } from "../ingest/mapping.ts";
import { FeedError } from "./feed-error.ts";

/** Entity set of another RESO Web API, and the selection of its records to replicate. */
export type SourceFeed = {
  /** URL of the entity set. */
  readonly url: URL;
  /** Resource of the service. Undefined for a description such as `$metadata`. */
  readonly resource: ResourceName | undefined;
  /** Name that the feed has for the key property. Empty for what is not a resource of the service. */
  readonly key: string;
  /** Name that the feed has for `ModificationTimestamp`. */
  readonly modified: string;
  /** Mapping of its records. Undefined: the feed has our names and values. */
  readonly mapping?: SourceMapping | undefined;
  /** `$filter` for the records. Undefined: all records. */
  readonly filter: string | undefined;
  /** `$select` for the records. Undefined: all fields. */
  readonly select: string | undefined;
};

export type FeedOptions = Pick<SourceFeed, "filter" | "select" | "mapping">;

/**
 * Returns the feed of a resource, or of a description such as `$metadata`, at the service root of a Web API.
 *
 * @param hasSecret true if a secret is sent to it
 * @throws {FeedError} if the URL is invalid, or a secret would be sent over plain HTTP to another machine
 */
export function feedOf(root: string, name: string, options: FeedOptions, hasSecret: boolean): SourceFeed {
  const url = feedUrl(root, hasSecret);
  if (url.search !== "")
    throw new FeedError("the address of the feed must have no user, no query and no fragment");
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${name}`;
  const resource = resourceNames.find((one) => one === name);
  const named = (field: string) =>
    resource === undefined ? "" : sourceName(options.mapping, resource, field);
  return {
    ...options,
    url,
    resource,
    key: resource === undefined ? "" : named(keyFieldOf(resource)),
    modified: named("ModificationTimestamp"),
  };
}

/**
 * Parses the address of a source.
 *
 * @param hasSecret true if a secret is sent to it
 * @throws {FeedError} if it is invalid, or a secret would be sent over plain HTTP to another machine
 */
export function feedUrl(text: string, hasSecret: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FeedError("the address of the feed must begin with https://");
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw new FeedError("the address of the feed must have no user, no query and no fragment");
  if (hasSecret && url.protocol === "http:" && !isLocal(url.hostname))
    throw new FeedError("a key is sent over https alone: http is for this machine");
  return url;
}

const isLocal = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/**
 * Returns a hash that identifies the feed: of its URL, `$filter`, `$select` and mapping, but not its credentials, and of what the catalog accepts
 * of it. If one of them changes, the feed is read from the start.
 *
 * @param accepted see `acceptedValuesHash`, or another text that must stay the same
 */
export const feedId = ({ url, filter = "", select = "", mapping }: SourceFeed, accepted: string): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        url.href,
        filter,
        select,
        ...(mapping === undefined ? [] : [mapping.sha256]),
        accepted,
      ]),
    )
    .digest("hex");

/** Last record of a page: its key and `ModificationTimestamp` as OData literals of the feed. */
export type PagePosition = { readonly key: string; readonly modified: string };

/** Returns the URL of the first page of the records modified at or after `since` (null: all), in the order of modification. */
export const changesUrl = (feed: SourceFeed, since: string | null): URL =>
  changesFrom(feed, since === null ? [] : [`${feed.modified} ge ${since}`], `${feed.modified},${feed.key}`);

/** Returns the URL of the changed records after a position in the order of modification, then key. */
export const changesAfter = (feed: SourceFeed, { key, modified }: PagePosition, top: number): URL =>
  changesFrom(
    feed,
    [`(${feed.modified} gt ${modified} or (${feed.modified} eq ${modified} and ${feed.key} gt ${key}))`],
    `${feed.modified},${feed.key}`,
    top,
  );

/** Returns the URL of the records modified at or after `since` in the order of their keys, after a key. */
export const changesByKey = (
  feed: SourceFeed,
  since: string | null,
  after: Pick<PagePosition, "key"> | undefined,
  top: number,
): URL =>
  changesFrom(
    feed,
    [
      ...(since === null ? [] : [`${feed.modified} ge ${since}`]),
      ...(after === undefined ? [] : [`${feed.key} gt ${after.key}`]),
    ],
    feed.key,
    top,
  );

const changesFrom = (
  { url, filter, select }: SourceFeed,
  conditions: readonly string[],
  order: string,
  top?: number,
): URL =>
  withOptions(url, {
    $filter: allOfTexts(conditions, filter),
    $select: select,
    $orderby: order,
    $top: top?.toString(),
  });

function allOfTexts(conditions: readonly string[], filter: string | undefined): string | undefined {
  const all = [...conditions, ...(filter === undefined ? [] : [`(${filter})`])];
  return all.length === 0 ? undefined : all.join(" and ");
}

/** Returns the URL of the first page of all keys. */
export const keysUrl = ({ url, key, filter }: SourceFeed): URL =>
  withOptions(url, { $filter: filter, $select: key, $orderby: key });

/** Returns the URL of the keys after a position. */
export const keysAfter = (
  { url, key, filter }: SourceFeed,
  after: Pick<PagePosition, "key"> | undefined,
  top: number,
): URL =>
  withOptions(url, {
    $filter: after === undefined ? filter : allOfTexts([`${key} gt ${after.key}`], filter),
    $select: key,
    $orderby: key,
    $top: String(top),
  });

/** Returns the URL of those of some records that the feed has. */
export const existingKeysUrl = ({ url, key, filter }: SourceFeed, keys: readonly string[]): URL =>
  withOptions(url, {
    $filter: allOfTexts([`${key} in (${keys.map(textLiteral).join(",")})`], filter),
    $select: key,
  });

/** Returns the URL of the events of the resource after a number, in their order. Source: RESO RCP-27. */
export const eventsUrl = (feed: SourceFeed, after: string, top: number): URL =>
  eventsOf(feed, [`EntityEventSequence gt ${after}`], "EntityEventSequence", top);

/** Returns the URL of the last event of the resource. */
export const lastEventUrl = (feed: SourceFeed): URL => eventsOf(feed, [], "EntityEventSequence desc", 1);

const eventsOf = (
  { url, resource }: SourceFeed,
  conditions: readonly string[],
  order: string,
  top: number,
): URL =>
  withOptions(new URL("EntityEvent", url), {
    $filter: allOfTexts([`ResourceName eq '${resource}'`, ...conditions], undefined),
    $orderby: order,
    $top: String(top),
  });

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
