import type { Row } from "@cadastre/odata";
import { textLiteral } from "@cadastre/odata/tree";
import { withoutAnnotations } from "../ingest/annotations.ts";
import { isObject } from "../ingest/entry.ts";
import { parseJson } from "../ingest/exact-json.ts";
import { mapRecord } from "../ingest/mapping.ts";
import { cut } from "../ingest/quoted-text.ts";
import {
  changesAfter,
  changesByKey,
  changesUrl,
  followed,
  keysAfter,
  keysUrl,
  type PagePosition,
  type SourceFeed,
  shown,
} from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import { type FeedRequest, fetchFeed } from "./fetch-feed.ts";
import { RefusedRequest } from "./refused-request.ts";
import { VisitedPages } from "./visited-pages.ts";

/** Maximum number of successive pages without records. */
const maxEmptyPages = 100;

/**
 * Follows the next links from the first page to the last. Yields each page that is not empty, and the last one if it has the delta
 * link that was asked for.
 *
 * @throws {FeedError} if an answer is not a page, or next links lead in a circle or to another origin
 */
export async function* linkedPages(first: URL, asking: FeedRequest): AsyncGenerator<FeedPage> {
  const visited = new VisitedPages();
  let emptyPages = 0;
  for (let url: URL | undefined = first; url !== undefined; ) {
    if (!visited.add(url)) throw new FeedError(`${shown(url)} gives next links that lead in a circle`);
    const page = toPage(await fetchFeed(url, asking), url);
    const { records, nextLink, deltaLink } = page;
    emptyPages = records.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > maxEmptyPages) throw new FeedError(`${shown(url)} gives empty pages without an end`);
    if (records.length > 0 || (deltaLink !== undefined && asking.preference !== undefined)) yield page;
    url = nextLink === undefined ? undefined : followed(nextLink, url);
  }
}

/**
 * How the pages of a feed follow each other. `next`: by next links. `timestamp`: each page is asked for by a filter, after the
 * `ModificationTimestamp` and key of the last record. `key`: by a filter, after the key of the last record. `auto`: by next links; if the
 * first page has none, the feed is asked whether more records follow its last one.
 */
export const pagings = ["auto", "next", "timestamp", "key"] as const;
export type Paging = (typeof pagings)[number];

/** Yields the records modified at or after `since` (null: all), page by page, mapped. Only with `key` they are in no order of modification. */
export const changedRecords = (
  asking: FeedRequest,
  since: string | null,
  paging: Paging,
): AsyncGenerator<readonly Row[]> => {
  const { feed, pageSize } = asking;
  if (paging === "key") {
    const next = (after?: PagePosition) => changesByKey(feed, since, after, pageSize);
    return mappedPages(filteredPages(next(), next, asking, paging), feed);
  }
  const next = (after: PagePosition) => changesAfter(feed, after, pageSize);
  const first = changesUrl(feed, since);
  return mappedPages(
    paging === "timestamp"
      ? filteredPages(withTop(first, pageSize), next, asking, paging)
      : pagesOf(first, paging, next, asking),
    feed,
  );
};

/** Yields the records of an entity set that describes the feed, such as Lookup, page by page. */
export async function* descriptionRecords(asking: FeedRequest): AsyncGenerator<readonly Row[]> {
  for await (const { records } of linkedPages(asking.feed.url, asking)) yield records;
}

/** Yields the keys of all records, page by page, as records that are mapped. */
export const allKeys = (asking: FeedRequest, paging: Paging): AsyncGenerator<readonly Row[]> => {
  const { feed, pageSize } = asking;
  const next = (after?: PagePosition) => keysAfter(feed, after, pageSize);
  return mappedPages(
    paging === "timestamp" || paging === "key"
      ? filteredPages(next(), next, asking, paging)
      : pagesOf(keysUrl(feed), paging, next, asking),
    feed,
  );
};

async function* mappedPages(
  pages: AsyncIterable<FeedPage>,
  { mapping, resource }: SourceFeed,
): AsyncGenerator<readonly Row[]> {
  for await (const { records } of pages)
    yield mapping === undefined || resource === undefined
      ? records
      : records.map((record) => mapRecord(mapping, resource, record));
}

/** Yields pages by next links. With `auto` it goes on by filters if the first page has no link. */
async function* pagesOf(
  first: URL,
  paging: "auto" | "next",
  next: (after: PagePosition) => URL,
  asking: FeedRequest,
): AsyncGenerator<FeedPage> {
  let [count, last]: [number, FeedPage | undefined] = [0, undefined];
  for await (const page of linkedPages(first, asking)) {
    count++;
    last = page;
    yield page;
  }
  if (paging === "next" || count !== 1 || last?.nextLink !== undefined) return;
  const position = positionAfter(last, asking.feed, first);
  if (position !== undefined) yield* filteredPages(next(position), next, asking, paging);
}

const nextLinksCure =
  "take `--paging next` if its pages name the next one, or its first page holds all records";

/** What to do about a feed that refuses the query for a page, by the paging that has asked for it. */
const pagingCures: Readonly<Record<Exclude<Paging, "next">, string>> = {
  auto: `the first page had no next link, so \`--paging auto\` asks for what follows it: ${nextLinksCure}, or \`--paging key\` if it refuses \`or\` alone`,
  timestamp: `\`--paging timestamp\` asks so for each page: ${nextLinksCure}, or \`--paging key\` if it refuses \`or\` alone`,
  key: `\`--paging key\` asks so for each page: ${nextLinksCure}`,
};

/** Maximum length of a query in an error, in UTF-16 code units. */
const longestQuery = 500;

/** Fetches a page by a filter. @throws {FeedError} names the query if the feed refuses it */
async function fetchFiltered(
  url: URL,
  asking: FeedRequest,
  paging: keyof typeof pagingCures,
): Promise<string> {
  try {
    return await fetchFeed(url, asking);
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    const { message, said } = error;
    const query = cut(decodeURIComponent(url.search.slice(1)), longestQuery);
    const words = said === undefined ? "" : ` and says \`${said}\``;
    throw new FeedError(`${message} to \`${query}\`${words}: ${pagingCures[paging]}`, { cause: error });
  }
}

/** Yields pages until one is empty. A feed may give fewer records than it was asked for. */
async function* filteredPages(
  first: URL,
  next: (after: PagePosition) => URL,
  asking: FeedRequest,
  paging: keyof typeof pagingCures,
): AsyncGenerator<FeedPage> {
  const visited = new VisitedPages();
  for (let url: URL | undefined = first; url !== undefined; ) {
    if (!visited.add(url))
      throw new FeedError(
        `${shown(url)} gives the same records again: it does not keep to \`$filter\` and \`$orderby\`; try another \`--paging\``,
      );
    const page = toPage(await fetchFiltered(url, asking, paging), url);
    if (page.records.length === 0) return;
    yield page;
    const position = positionAfter(page, asking.feed, url);
    url = position && next(position);
  }
}

/** Returns the position of the last record of a page. */
function positionAfter(
  page: FeedPage | undefined,
  { key, modified }: SourceFeed,
  url: URL,
): PagePosition | undefined {
  const record = page?.records.at(-1);
  if (record === undefined) return undefined;
  const [keyText, time] = [record[key], record[modified]];
  if (typeof keyText !== "string" && typeof keyText !== "number")
    throw new FeedError(`${shown(url)} gave a record without \`${key}\``);
  return {
    key: typeof keyText === "string" ? textLiteral(keyText) : String(keyText),
    // Checked, because it becomes part of a filter. Keys are read without it.
    modified: typeof time === "string" && /^[\dTZ:.+-]{10,40}$/.test(time) ? time : "1970-01-01T00:00:00Z",
  };
}

function withTop(url: URL, top: number): URL {
  const limited = new URL(url.href);
  limited.search += `${limited.search === "" ? "?" : "&"}$top=${top}`;
  return limited;
}

type FeedPage = {
  readonly records: readonly Row[];
  /** The records as the feed gave them, with annotations. Of a delta some are deleted entities. */
  readonly entries: readonly Row[];
  readonly nextLink: string | undefined;
  readonly deltaLink: string | undefined;
};

function toPage(text: string, url: URL): FeedPage {
  const body = parseJson(text);
  const entries = isObject(body) ? body["value"] : undefined;
  const nextLink = isObject(body) ? body["@odata.nextLink"] : undefined;
  const deltaLink = isObject(body) ? body["@odata.deltaLink"] : undefined;
  const isPage = Array.isArray(entries) && entries.every(isObject);
  if (!isPage || !isLink(nextLink) || !isLink(deltaLink))
    throw new FeedError(`${shown(url)} gave JSON that is no page of an OData collection`);
  return { records: entries.map(saidOf), entries, nextLink, deltaLink };
}

const isLink = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

/** Returns the record without annotations and null fields: a feed may have null fields of other systems. */
const saidOf = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(withoutAnnotations(record)).filter(([, value]) => !isWithoutValue(value)),
  );

const isWithoutValue = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);
