import type { EntitySet } from "@cadastre/odata";
import { ProtocolError } from "../errors.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { preferenceApplied } from "../protocol/prefer.ts";
import { type CollectionOptions, parseCollection } from "../protocol/query-options.ts";
import type { Answer } from "./answer.ts";
import type { AnswerSession, ChangesPage } from "./answer-session.ts";
import { pageSizeOf, type Walk } from "./continuation.ts";
import { type DeltaStart, deltaLinkExpired, linksOfChanges, openDeltaToken } from "./delta-link.ts";
import { bindExpansion, bindRows, selectingKey } from "./read-query.ts";
import { type RenderInput, recordFormOf } from "./render.ts";
import { renderChanges } from "./render-changes.ts";

/** Options of a request for changes. */
type DeltaOptions = CollectionOptions & { readonly deltaToken: string };

/** Answers a delta link: what has changed of a result. Source: OData Protocol 4.01, section 11.3. */
export async function answerDelta(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
  options: DeltaOptions,
): Promise<Answer> {
  const { stages, version } = request;
  const { preferences, trackChanges } = options;
  // A file has no place for removals.
  if (options.file !== undefined) throw new ProtocolError("not_acceptable", { target: "Accept" });
  const { walk, start, content, page } = await readChanges(request, entitySet, session, options);
  try {
    const links = linksOfChanges(page, start, entitySet, walk, request);
    const answer = stages.time("render", () =>
      renderChanges({ version, ...content, ...links, ...page, count: page.count }),
    );
    // The preference is ignored on a next link.
    const tracked = start.page === undefined && trackChanges !== undefined ? [trackChanges] : [];
    // Nulls are written in any case: a value that is left out has not changed.
    const headers = preferenceApplied({ pageSize: preferences.pageSize }, ...tracked);
    return { ...answer, headers, release: page.release };
  } catch (error) {
    page.release?.();
    throw error;
  }
}

/** Returns the number of changes that a delta link tells, on all pages. */
export async function countChanges(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
): Promise<number> {
  const options = request.stages.time("parse", () => parseCollection(request, session.settings));
  const deltaToken = options.deltaToken ?? "";
  const { page } = await readChanges(request, entitySet, session, { ...options, deltaToken, count: true });
  page.release?.();
  return page.count ?? 0;
}

type ReadPage = {
  readonly walk: Walk;
  readonly start: DeltaStart & { readonly begun: number };
  readonly content: RenderInput;
  readonly page: ChangesPage;
};

/**
 * Reads the page of changes that a delta link, or the next link after it, leads to.
 *
 * @throws {ProtocolError} `delta_link_expired`
 */
async function readChanges(
  request: OdataRequest,
  entitySet: EntitySet,
  session: AnswerSession,
  options: DeltaOptions,
): Promise<ReadPage> {
  const { stages } = request;
  const { settings, source } = session;
  if (source.changes === undefined) throw new ProtocolError("not_implemented", { target: "$deltatoken" });
  const walk: Walk = { entitySet: entitySet.name, session, options };
  const opened = stages.time("parse", () => openDeltaToken(options.deltaToken, walk, entitySet, request));
  const { count, preferences } = options;
  const { size } = pageSizeOf({ top: undefined, expand: options.expand, preferences }, undefined, settings);
  const { query, expand } = stages.time("bind", () => ({
    query: selectingKey(bindRows({ ...options, orderBy: undefined, top: size }, entitySet, session)),
    expand: bindExpansion(options, entitySet, session.model),
  }));
  const { root } = request;
  const content = { root, namespace: session.model.namespace, query, expand, format: options.format };
  const start = { ...opened, begun: opened.page?.begun ?? Math.floor(settings.now() / 1000) };
  const page = await source.changes.page(query, {
    since: start.since,
    until: start.page?.until,
    from: start.page?.from,
    count,
    form: recordFormOf(content),
    expand,
    signal: request.clientGone(),
  });
  if (page === undefined) throw deltaLinkExpired(walk, request);
  return { walk, start, content, page };
}
