import type { Row } from "@cadastre/odata";
import { withoutAnnotations } from "../ingest/annotations.ts";
import { isObject } from "../ingest/entry.ts";
import { parseJson } from "../ingest/exact-json.ts";
import { followed, shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import { type FeedRequest, fetchFeed } from "./fetch-feed.ts";

/** Maximum number of successive pages without records. */
const maxEmptyPages = 100;

/**
 * Follows the next links from the first page to the last. Yields the records of each page that is not empty.
 *
 * @throws {FeedError} if an answer is not a page, or next links lead in a circle or to another origin
 */
export async function* feedPages(first: URL, asking: FeedRequest): AsyncGenerator<readonly Row[]> {
  const visited = new Set<string>();
  let emptyPages = 0;
  for (let url: URL | undefined = first; url !== undefined; ) {
    if (visited.has(url.href)) throw new FeedError(`${shown(url)} gives next links that lead in a circle`);
    visited.add(url.href);
    const { records, nextLink } = toPage(await fetchFeed(url, asking), url);
    emptyPages = records.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > maxEmptyPages) throw new FeedError(`${shown(url)} gives empty pages without an end`);
    if (records.length > 0) yield records;
    url = nextLink === undefined ? undefined : followed(nextLink, url);
  }
}

type FeedPage = { readonly records: readonly Row[]; readonly nextLink: string | undefined };

function toPage(text: string, url: URL): FeedPage {
  const body = parseJson(text);
  const records = isObject(body) ? body["value"] : undefined;
  const nextLink = isObject(body) ? body["@odata.nextLink"] : undefined;
  const isPage = Array.isArray(records) && records.every(isObject);
  if (!isPage || (nextLink !== undefined && typeof nextLink !== "string"))
    throw new FeedError(`${shown(url)} gave JSON that is no page of an OData collection`);
  return { records: records.map(saidOf), nextLink };
}

/** Returns the record without annotations and null fields: a feed may have null fields of other systems. */
const saidOf = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(withoutAnnotations(record)).filter(([, value]) => !isWithoutValue(value)),
  );

const isWithoutValue = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);
