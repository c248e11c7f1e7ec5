import { setImmediate } from "node:timers/promises";
import type { BoundExpand, BoundQuery, EntitySet } from "@cadastre/odata";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import { parseCollection } from "../protocol/query-options.ts";
import type { Answer, Piece } from "./answer.ts";
import type { AnswerSession, RecordPage } from "./answer-session.ts";
import { answerApplied } from "./applied.ts";
import { nextLinkOf, type PageStart, pageSizeOf, startOfPage, type Walk } from "./continuation.ts";
import { answerDelta } from "./delta.ts";
import { firstDeltaLinkOf, trackingOf } from "./delta-link.ts";
import { type FileCollection, fileAnswer, fileCollectionOf } from "./file-collection.ts";
import { bindExpansion, bindRows, readFor, selectingKey, withOptionTarget } from "./read-query.ts";
import { recordFormOf, renderCollection } from "./render.ts";

/** `GET <root>/<EntitySet>` */
export async function answerCollection(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
): Promise<Answer> {
  const { root, stages } = request;
  const { settings, source, model } = session;
  const options = stages.time("parse", () => parseCollection(request, settings));
  if (options.deltaToken !== undefined)
    return answerDelta(request, entitySet, session, { ...options, deltaToken: options.deltaToken });
  if (options.apply !== undefined && options.file === undefined)
    return answerApplied(request, entitySet, session, options);
  const walk: Walk = { entitySet: entitySet.name, session, options };
  const position = stages.time("parse", () => startOfPage(walk));
  const { size, left } = pageSizeOf(options, position, settings);
  const { bound, expand } = stages.time("bind", () => ({
    bound: bindRows({ ...options, top: size }, entitySet, session),
    expand: bindExpansion(options, entitySet, model),
  }));
  const tracking = trackingOf(options, position, entitySet, expand, session);
  const query = tracking === undefined ? bound : selectingKey(bound);
  const { count, ignoreNulls, format, own } = options;
  const file = options.file && fileCollectionOf(options.file, query, options);
  const content = { root, namespace: model.namespace, query, expand, format };
  const read = {
    from: position?.from,
    count,
    // CSV has empty cells in any case.
    nulls: !ignoreNulls && options.file !== "csv",
    form: recordFormOf(content),
    expand,
    own,
    tracked: tracking !== undefined,
    signal: request.clientGone(),
  };
  const page = await withOptionTarget({ options, bound: query, read, session }, () =>
    source.page(file?.query ?? readFor(format, query), read),
  );
  try {
    const found = { query, expand, left, tracking, isFirst: position === undefined };
    if (file !== undefined) return await renderFile(file, page, found, walk, request);
    return stages.time("render", () => render(page, found, walk, request));
  } catch (error) {
    page.release?.();
    throw error;
  }
}

type PageQuery = {
  readonly query: BoundQuery;
  readonly expand: readonly BoundExpand[];
  readonly isFirst: boolean;
} & Pick<PageStart, "left" | "tracking">;

function render(page: RecordPage, found: PageQuery, walk: Walk, request: OdataRequest): Answer {
  const { root } = request;
  const { query, expand, tracking, isFirst } = found;
  const { format, preferences, trackChanges } = walk.options;
  const { records, count, release } = page;
  const { namespace } = walk.session.model;
  const nextLink = nextLinkOf(page, found, walk, request);
  const deltaLink =
    nextLink === undefined ? firstDeltaLinkOf(page, tracking, query.entitySet, walk, request) : undefined;
  const answer = renderCollection({
    root,
    namespace,
    query,
    expand,
    format,
    records,
    count,
    nextLink,
    deltaLink,
  });
  const tracked = isFirst && tracking !== undefined && trackChanges !== undefined ? [trackChanges] : [];
  return { headers: preferenceApplied(preferences, ...tracked), release, ...answer };
}

/** Renders a page in a file format, some records at a time between other requests. */
async function renderFile(
  { format, write }: FileCollection,
  page: RecordPage,
  position: Pick<PageStart, "left" | "tracking">,
  walk: Walk,
  request: OdataRequest,
): Promise<Answer> {
  const pieces = write(page);
  const next = () => request.stages.time("render", () => pieces.next());
  const body: Piece[] = [];
  for (let piece = next(); piece.done !== true; piece = next()) {
    body.push(piece.value);
    await setImmediate();
  }
  const answer = fileAnswer(format, body, nextLinkOf(page, position, walk, request));
  const headers = { ...preferenceApplied(walk.options.preferences), ...answer.headers };
  return { ...answer, headers, release: page.release };
}
