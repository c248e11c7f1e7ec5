import { nextLink, openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import type { OdataRequest } from "../protocol/odata-request.ts";
import type { CollectionOptions } from "../protocol/query-options.ts";
import type { AnswerSession, AnswerSettings, RecordPage } from "./answer-session.ts";

/** A sequence of pages that a `$skiptoken` continues: of one set, for one caller, with the same options. */
export type Walk = {
  readonly entitySet: string;
  readonly session: AnswerSession;
  readonly options: CollectionOptions;
};

/** Options that differ between the pages of a walk, because they state its position. */
const moving = new Set(["$skip", "$skiptoken"]);

/** Returns the text that a token is bound to: customer, entity set and options. The order and spelling of the options do not matter. */
function bindingOf({ entitySet, session, options }: Walk): string {
  const fixed = [...options.texts]
    .filter(([name]) => !moving.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([session.customer, entitySet, fixed]);
}

/** Start of a page, and the number of records that are left from there. */
export type PageStart = {
  /** Position after the last record of the page before. */
  readonly from: readonly unknown[];
  /** Null if the walk has no limit. */
  readonly left: number | null;
  /** Set if the walk ends with a delta link. */
  readonly tracking: Tracking | undefined;
};

/** A walk after which changes can be asked for. */
export type Tracking = {
  /** Time of its first page, in seconds since 1970. */
  readonly begun: number;
};

/**
 * Returns the start of the page of a `$skiptoken`. Undefined without one.
 *
 * @throws {QueryError} `invalid_skip_token` if the token is malformed, forged, expired or of another walk; the session's error if it was
 * issued for another scope of the same customer
 */
export function startOfPage(walk: Walk): PageStart | undefined {
  const { skipToken } = walk.options;
  if (skipToken === undefined) return undefined;
  const { settings, scope, scopeChanged } = walk.session;
  const token = openSkipToken(skipToken, bindingOf(walk), settings.skipTokenKey, settings.now() / 1000);
  if (token.scope !== scope) throw scopeChanged();
  // The number of records left is second, with the time of the first page if changes are tracked.
  const [first, second, ...rest] = token.after;
  const [left, begun] = Array.isArray(second) ? (second as readonly unknown[]) : [second];
  return {
    from: [first, ...rest],
    left: typeof left === "number" ? left : null,
    tracking: typeof begun === "number" ? { begun } : undefined,
  };
}

/** Number of records of a page, and of the walk. */
type PageSize = {
  /** Maximum number of records of this page. */
  readonly size: number;
  /** Number of records that are left from this page on. Null if the walk has no limit. */
  readonly left: PageStart["left"];
};

/** Returns the page size. With `topIsTotal`, `$top` is the number of records of all pages together, otherwise that of each page. */
export function pageSizeOf(
  { top, expand, preferences: { pageSize } }: Pick<CollectionOptions, "top" | "expand" | "preferences">,
  position: PageStart | undefined,
  settings: Pick<AnswerSettings, "pageSize" | "pageSizeWithTop" | "topIsTotal" | "maxTopExpanded">,
): PageSize {
  const largest = expand === undefined ? Number.POSITIVE_INFINITY : settings.maxTopExpanded;
  if (top === undefined) return { size: Math.min(pageSize?.value ?? settings.pageSize, largest), left: null };
  const left = position?.left ?? top;
  const size = Math.min(left, pageSize?.value ?? settings.pageSizeWithTop, largest);
  return { size, left: settings.topIsTotal ? left : null };
}

/** A page that follows another one. */
type NextPage = PageStart & {
  /** Absolute URL of the collection. */
  readonly resource: string;
  /** Query string of the request, undecoded. */
  readonly query: string;
};

/** Returns the `@odata.nextLink` of a page that is not the last. */
function linkToNextPage(walk: Walk, { from, left, tracking, resource, query }: NextPage): string {
  const { skipTokenKey, random, tokenLife, now } = walk.session.settings;
  const [first, ...rest] = from;
  const token = {
    after: [first, tracking === undefined ? left : [left, tracking.begun], ...rest],
    scope: walk.session.scope,
    expires: Math.floor(now() / 1000) + tokenLife,
  };
  return nextLink(resource, query, sealSkipToken(token, bindingOf(walk), skipTokenKey, random));
}

/** Returns the `@odata.nextLink` after a page; undefined if it is the last one. */
export function nextLinkOf(
  { next, length }: RecordPage,
  { left, tracking }: Pick<PageStart, "left" | "tracking">,
  walk: Walk,
  { root, query }: OdataRequest,
): string | undefined {
  const leftThen = left === null ? null : left - length;
  if (next === null || leftThen === 0) return undefined;
  const resource = `${root}/${walk.entitySet}`;
  return linkToNextPage(walk, { from: next, left: leftThen, tracking, resource, query });
}
