import { restrict } from "@cadastre/entitlement";
import type { BoundQuery, EntitySet } from "@cadastre/odata";
import { type Page, StoreError } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { Answer } from "../http/answer.ts";
import { linkToNextPage, type PageStart, staleToken, startOfPage, type Walk } from "./continuation.ts";
import type { OdataRequest } from "./odata-request.ts";
import { atPlacekey } from "./placekey.ts";
import { preferenceApplied } from "./prefer.ts";
import { type CollectionOptions, parseCollection } from "./query-options.ts";
import { bindRows, readFor, withOptionTarget } from "./read-query.ts";
import { recordFormOf, renderCollection } from "./render.ts";
import type { OdataServices } from "./services.ts";

/** Number of records of a page, and of the walk. */
type PageSize = {
  /** Maximum number of records of this page. */
  readonly size: number;
  /** Number of records that are left from this page on. Null if the walk has no limit. */
  readonly left: PageStart["left"];
};

/**
 * Returns the page size. By default `$top` is the size of each page, and `maxpagesize` can only lower it. With `topIsTotal`, `$top` is the
 * number of records of all pages together.
 */
function pageSizeOf(
  { top, preferences: { pageSize } }: Pick<CollectionOptions, "top" | "preferences">,
  position: PageStart | undefined,
  config: Pick<Config, "pageSize" | "topIsTotal">,
): PageSize {
  const size = pageSize?.value ?? config.pageSize;
  if (top === undefined) return { size, left: null };
  if (!config.topIsTotal) return { size: Math.min(top, pageSize?.value ?? top), left: null };
  const left = position?.left ?? top;
  return { size: Math.min(left, size), left };
}

/** `GET /reso/odata/<EntitySet>` */
export async function collection(
  request: OdataRequest,
  entitySet: EntitySet,
  services: OdataServices,
): Promise<Answer> {
  const { scope, stages } = request;
  const { store, config, memory, skipTokenKey } = services;
  const options = stages.time("parse", () => parseCollection(request));
  const walk = { entitySet: entitySet.name, scope, options };
  const position = stages.time("parse", () => startOfPage(walk, skipTokenKey, services.now()));
  const { size, left } = pageSizeOf(options, position, config);
  const bound = stages.time("bind", () => bindRows({ ...options, top: size }, entitySet));
  const wanted = await withStaleTokenError(
    atPlacekey(bound, options.placekey, request, services, position?.from),
  );
  const restricted = stages.time("restrict", () => restrict(readFor(options.format, wanted), scope));
  const { count, ignoreNulls, format } = options;
  const form = recordFormOf({ root: request.root, query: bound, format });
  const read = { count, nulls: !ignoreNulls, form };
  const clientGone = request.clientGone();
  const reserved = await stages.timeAsync("reserve", () =>
    memory.reserve(scope.customer, estimatedBytes(restricted, options), clientGone),
  );
  try {
    const from = position?.from;
    const page = await stages.timeAsync(
      "run",
      (within) =>
        withOptionTarget({ options, bound, scope, store }, () =>
          withStaleTokenError(store.page(restricted, { ...read, from, signal: clientGone, stages: within })),
        ),
      { entitySet: entitySet.name },
    );
    reserved.resize(page.records.buffer.byteLength);
    const release = () => {
      page.release?.();
      reserved.release();
    };
    return stages.time("render", () => render({ ...page, release }, bound, left, walk, request, services));
  } catch (error) {
    reserved.release();
    throw error;
  }
}

/** Estimated size of a record without its null members, in bytes. Most records are smaller. */
const valuesOfRecord = 4096;

/** Length of `,"":null`. */
const aroundNull = 8;

/** Measured factor by which the annotations of full metadata lengthen a record. */
const fullForm = 1.3;

/** Estimates the size of a page in bytes before it is read, assuming that it is full. */
function estimatedBytes(
  { select, top }: BoundQuery,
  { format, ignoreNulls }: Pick<CollectionOptions, "format" | "ignoreNulls">,
): number {
  const nulls = ignoreNulls
    ? 0
    : select.reduce((sum, { property }) => sum + property.name.length + aroundNull, 0);
  return Math.ceil(top * (nulls + valuesOfRecord) * (format.metadata === "full" ? fullForm : 1));
}

/** Converts the error of an expired bookmark. @throws {QueryError} `invalid_skip_token` */
const withStaleTokenError = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    throw error instanceof StoreError && error.code === "bookmark_expired" ? staleToken() : error;
  });

function render(
  page: Page,
  query: BoundQuery,
  left: PageStart["left"],
  walk: Walk,
  request: OdataRequest,
  services: OdataServices,
): Answer {
  const { root } = request;
  const { format, preferences } = walk.options;
  const { records, count, release } = page;
  const nextLink = nextLinkOf(page, left, walk, request, services);
  const answer = renderCollection({ root, query, format, records, count, nextLink });
  return { ...answer, headers: preferenceApplied(preferences), release };
}

function nextLinkOf(
  { next, length }: Page,
  left: PageStart["left"],
  walk: Walk,
  { root, query }: OdataRequest,
  { config, skipTokenKey, random, now }: OdataServices,
): string | undefined {
  const leftThen = left === null ? null : left - length;
  if (next === null || leftThen === 0) return undefined;
  const resource = `${root}/${walk.entitySet}`;
  const expires = Math.floor(now() / 1000) + config.tokenLife;
  const link = { bookmark: next, left: leftThen, resource, query, expires };
  return linkToNextPage(walk, link, { skipTokenKey, random });
}
