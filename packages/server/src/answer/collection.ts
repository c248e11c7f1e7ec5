import type { BoundExpand, BoundQuery, EntitySet } from "@cadastre/odata";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import { type CollectionOptions, parseCollection } from "../protocol/query-options.ts";
import type { Answer } from "./answer.ts";
import type { AnswerSession, AnswerSettings, RecordPage } from "./answer-session.ts";
import { linkToNextPage, type PageStart, startOfPage, type Walk } from "./continuation.ts";
import { bindExpansion, bindRows, readFor, withOptionTarget } from "./read-query.ts";
import { recordFormOf, renderCollection } from "./render.ts";

/** Number of records of a page, and of the walk. */
type PageSize = {
  /** Maximum number of records of this page. */
  readonly size: number;
  /** Number of records that are left from this page on. Null if the walk has no limit. */
  readonly left: PageStart["left"];
};

/**
 * Returns the page size. It is `$top` unless `maxpagesize` is smaller, since many clients follow no next link after they have stated how many
 * records they want. With `topIsTotal`, `$top` is the number of records of all pages together, otherwise that of each page.
 */
function pageSizeOf(
  { top, preferences: { pageSize } }: Pick<CollectionOptions, "top" | "preferences">,
  position: PageStart | undefined,
  settings: Pick<AnswerSettings, "pageSize" | "topIsTotal">,
): PageSize {
  if (top === undefined) return { size: pageSize?.value ?? settings.pageSize, left: null };
  const left = position?.left ?? top;
  return { size: Math.min(left, pageSize?.value ?? top), left: settings.topIsTotal ? left : null };
}

/** `GET <root>/<EntitySet>` */
export async function answerCollection(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
): Promise<Answer> {
  const { root, stages } = request;
  const { settings, source, model } = session;
  const options = stages.time("parse", () => parseCollection(request, settings));
  const walk: Walk = { entitySet: entitySet.name, session, options };
  const position = stages.time("parse", () => startOfPage(walk));
  const { size, left } = pageSizeOf(options, position, settings);
  const { query, expand } = stages.time("bind", () => ({
    query: bindRows({ ...options, top: size }, entitySet, session),
    expand: bindExpansion(options, entitySet, model),
  }));
  const { count, ignoreNulls, format, own } = options;
  const content = { root, namespace: model.namespace, query, expand, format };
  const read = {
    from: position?.from,
    count,
    nulls: !ignoreNulls,
    form: recordFormOf(content),
    expand,
    own,
    signal: request.clientGone(),
  };
  const page = await withOptionTarget({ options, bound: query, read, session }, () =>
    source.page(readFor(format, query), read),
  );
  try {
    return stages.time("render", () => render(page, { query, expand, left }, walk, request, session));
  } catch (error) {
    page.release?.();
    throw error;
  }
}

type PageQuery = {
  readonly query: BoundQuery;
  readonly expand: readonly BoundExpand[];
  readonly left: PageStart["left"];
};

function render(
  page: RecordPage,
  { query, expand, left }: PageQuery,
  walk: Walk,
  request: OdataRequest,
  { model: { namespace } }: AnswerSession,
): Answer {
  const { root } = request;
  const { format, preferences } = walk.options;
  const { records, count, release } = page;
  const nextLink = nextLinkOf(page, left, walk, request);
  const answer = renderCollection({ root, namespace, query, expand, format, records, count, nextLink });
  return { ...answer, headers: preferenceApplied(preferences), release };
}

function nextLinkOf(
  { next, length }: RecordPage,
  left: PageStart["left"],
  walk: Walk,
  { root, query }: OdataRequest,
): string | undefined {
  const leftThen = left === null ? null : left - length;
  if (next === null || leftThen === 0) return undefined;
  return linkToNextPage(walk, { from: next, left: leftThen, resource: `${root}/${walk.entitySet}`, query });
}
