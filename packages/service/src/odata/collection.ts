import { restrict } from "@cadastre/entitlement";
import type { BoundQuery, EntitySet } from "@cadastre/odata";
import { type Page, StoreError } from "@cadastre/store";
import type { Answer } from "../http/answer.ts";
import { linkToNextPage, type PageStart, staleToken, startOfPage, type Walk } from "./continuation.ts";
import type { OdataRequest } from "./odata-request.ts";
import { withOptionTarget } from "./option-at-fault.ts";
import { pageSizeOf } from "./page-size.ts";
import { atPlacekey } from "./placekey.ts";
import { preferenceApplied } from "./prefer.ts";
import { type CollectionOptions, parseCollection } from "./query-options.ts";
import { bindRows, readFor } from "./read-query.ts";
import { recordFormOf, renderCollection } from "./render.ts";
import type { OdataServices } from "./services.ts";

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
  const gone = request.gone();
  const reserved = await stages.timeAsync("run", () =>
    memory.reserve(scope.customer, estimatedBytes(restricted, options), gone),
  );
  try {
    const page = await stages.timeAsync("run", () =>
      withOptionTarget({ options, bound, scope, store }, () =>
        withStaleTokenError(store.page(restricted, { ...read, from: position?.from, signal: gone })),
      ),
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
