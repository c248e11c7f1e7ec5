import { type BoundExpand, type EntitySet, QueryError } from "@cadastre/odata";
import {
  deltaLink,
  nextChangesLink,
  openSkipToken,
  sealSkipToken,
  wholeResultLink,
} from "@cadastre/odata/paging";
import { contentTag } from "@cadastre/odata/run";
import { ProtocolError } from "../errors.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import type { CollectionOptions } from "../protocol/query-options.ts";
import type { AnswerSession, ChangesPage, RecordPage } from "./answer-session.ts";
import type { PageStart, Tracking, Walk } from "./continuation.ts";

/** A state, and the time until which the changes since then can be told: the content of a delta link. */
export type DeltaStart = {
  readonly since: string;
  /** Time until which they can be told, in seconds since 1970. */
  readonly expires: number;
  /** Of a page of changes other than the first: where it begins. */
  readonly page: ChangesStart | undefined;
};

/** Start of a page of changes, and the state that the changes lead to. */
type ChangesStart = {
  readonly until: string;
  /** Time at which that state was the present one, in seconds since 1970. */
  readonly begun: number;
  readonly from: string;
};

/**
 * Returns how the changes after a walk are tracked; undefined if they are not. The preference `track-changes` is ignored where they could not
 * be told exactly: with a search, aggregation or the host's own options, for a file format, for conditions on the present time, and with
 * related records that the source does not track.
 *
 * @param position start of the page; undefined for the first page
 */
export function trackingOf(
  options: CollectionOptions,
  position: PageStart | undefined,
  entitySet: EntitySet,
  expand: readonly BoundExpand[],
  { source, settings }: Pick<AnswerSession, "source" | "settings">,
): Tracking | undefined {
  if (source.changes?.tracks(entitySet, expand) !== true) return undefined;
  if (position !== undefined) return position.tracking;
  if (options.trackChanges === undefined || !isTrackable(options)) return undefined;
  return { begun: Math.floor(settings.now() / 1000) };
}

const isTrackable = ({ apply, search, compute, file, own, texts }: CollectionOptions): boolean =>
  [apply, search, compute, file].every((option) => option === undefined) &&
  own.size === 0 &&
  ![...texts].some(([name, text]) => (timed.has(name) || name.startsWith("@")) && /\bnow\s*\(/i.test(text));

/** Options that may have a condition on the present time. */
const timed: ReadonlySet<string> = new Set(["$filter", "$expand"]);

/** Options that a delta link does not have. */
const loose: ReadonlySet<string> = new Set([
  "$skip",
  "$skiptoken",
  "$deltatoken",
  "$top",
  "$orderby",
  "$count",
]);

/** Returns the text that a token is bound to: customer, entity set and options. */
function bindingOf({ entitySet, session, options }: Walk): string {
  const fixed = [...options.texts]
    .filter(([name]) => !loose.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(["delta", session.customer, entitySet, fixed]);
}

const schemas = new WeakMap<EntitySet, string>();

/** Returns a hash of the properties that the caller sees. */
function schemaOf(entitySet: EntitySet): string {
  const known = schemas.get(entitySet);
  if (known !== undefined) return known;
  const schema = contentTag(
    JSON.stringify(
      [...entitySet.type.properties.values()].map(
        ({ name, type, collection, nullable, maxLength, precision, scale, srid }) => [
          name,
          type,
          collection,
          nullable,
          maxLength ?? null,
          precision ?? null,
          scale ?? null,
          srid ?? null,
        ],
      ),
    ),
  );
  schemas.set(entitySet, schema);
  return schema;
}

/** Returns the identity of what the caller sees of the entity set, and of all sets if related entities are asked for: rows and fields. */
function viewOf({ session: { scope, model }, options }: Walk, entitySet: EntitySet): string {
  const sets = options.expand === undefined ? [entitySet] : [entitySet, ...model.entitySets];
  return [scope, ...sets.map(schemaOf)].join(" ");
}

/**
 * Opens the `$deltatoken` of a request.
 *
 * @throws {QueryError} `invalid_delta_token` if it is malformed, forged, or of another customer, entity set or query
 * @throws {ProtocolError} `delta_link_expired` if it is too old, or was given under another scope or schema
 */
export function openDeltaToken(
  text: string,
  walk: Walk,
  entitySet: EntitySet,
  request: OdataRequest,
): DeltaStart {
  const { settings } = walk.session;
  const { after, scope, expires } = open(text, walk);
  if (scope !== viewOf(walk, entitySet) || expires * 1000 <= settings.now())
    throw deltaLinkExpired(walk, request);
  const [since, until, begun, from] = after as readonly [string, string?, number?, string?];
  const page =
    until === undefined || begun === undefined || from === undefined ? undefined : { until, begun, from };
  return { since, expires, page };
}

function open(text: string, walk: Walk): ReturnType<typeof openSkipToken> {
  try {
    // An authentic token that has expired is told apart from others.
    return openSkipToken(text, bindingOf(walk), walk.session.settings.skipTokenKey, 0);
  } catch {
    throw new QueryError("invalid_delta_token", null, {}, "$deltatoken");
  }
}

/** Returns the error for a delta link whose changes cannot be told any more, with the address of the whole result. */
export const deltaLinkExpired = ({ entitySet }: Walk, { root, query }: OdataRequest): ProtocolError =>
  new ProtocolError("delta_link_expired", {
    target: "$deltatoken",
    headers: { location: wholeResultLink(`${root}/${entitySet}`, query) },
  });

function seal({ since, expires, page }: DeltaStart, walk: Walk, entitySet: EntitySet): string {
  const { skipTokenKey, random } = walk.session.settings;
  const after = page === undefined ? [since] : [since, page.until, page.begun, page.from];
  const token = { after, scope: viewOf(walk, entitySet), expires };
  return sealSkipToken(token, bindingOf(walk), skipTokenKey, random);
}

/** Returns the `@odata.deltaLink` of the last page of a walk; undefined if its changes are not tracked. */
export function firstDeltaLinkOf(
  { state }: RecordPage,
  tracking: Tracking | undefined,
  entitySet: EntitySet,
  walk: Walk,
  request: OdataRequest,
): string | undefined {
  if (tracking === undefined || state === undefined) return undefined;
  return linkSince(state, tracking.begun, entitySet, walk, request);
}

function linkSince(
  since: string,
  begun: number,
  entitySet: EntitySet,
  walk: Walk,
  { root, query }: OdataRequest,
): string | undefined {
  const { changes } = walk.session.source;
  if (changes === undefined) return undefined;
  const token = seal({ since, expires: begun + changes.life, page: undefined }, walk, entitySet);
  return deltaLink(`${root}/${walk.entitySet}`, query, token);
}

/** Returns the links of a page of changes: to the next page, or after the last one to the changes that follow. */
export function linksOfChanges(
  { next, state }: ChangesPage,
  start: DeltaStart & { readonly begun: number },
  entitySet: EntitySet,
  walk: Walk,
  request: OdataRequest,
): { readonly nextLink: string | undefined; readonly deltaLink: string | undefined } {
  const { since, expires, begun } = start;
  if (next === null)
    return { nextLink: undefined, deltaLink: linkSince(state, begun, entitySet, walk, request) };
  const token = seal({ since, expires, page: { until: state, begun, from: next } }, walk, entitySet);
  const nextLink = nextChangesLink(`${request.root}/${walk.entitySet}`, request.query, token);
  return { nextLink, deltaLink: undefined };
}
