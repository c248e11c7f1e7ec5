import { type RestrictedQuery, restrict } from "@cadastre/entitlement";
import { allOf, type BoundQuery, bindQuery, type EntitySet } from "@cadastre/odata";
import { type Bookmark, type Page, StoreError } from "@cadastre/store";
import { defaultOrder } from "../catalog.ts";
import type { Answer } from "../http/answer.ts";
import { linkToNextPage, staleToken, startOfPage, type Walk } from "./continuation.ts";
import type { OdataRequest } from "./odata-request.ts";
import { namingOption } from "./option-at-fault.ts";
import { isAtPlacekey } from "./placekey.ts";
import { type PagePreference, pagePreferenceOf } from "./prefer.ts";
import { type CollectionOptions, parseCollection } from "./query-options.ts";
import { renderCollection } from "./render.ts";
import type { OdataServices } from "./services.ts";

/** `GET /reso/odata/<EntitySet>` */
export async function collection(
  request: OdataRequest,
  entitySet: EntitySet,
  services: OdataServices,
): Promise<Answer> {
  const { scope, stages } = request;
  const options = stages.time("parse", () => parseCollection(request));
  const walk = { entitySet: entitySet.name, scope, options };
  const preference = pagePreferenceOf(request.header("prefer"));
  const top = pageSizeOf(options, preference, services);
  const from = stages.time("parse", () => startOfPage(walk, services.skipTokenKey, services.now()));
  const bound = stages.time("bind", () => bind({ ...options, top }, entitySet));
  const restricted = stages.time("restrict", () => restrict(bound, scope));
  const attempt = { options, bound, scope, store: services.store };
  const found = await stages.timeAsync("run", () =>
    namingOption(attempt, () => run(restricted, walk, from, request, services)),
  );
  const answer = stages.time("render", () => render(found, restricted, walk, request, services));
  return preference === undefined
    ? answer
    : { ...answer, headers: { "preference-applied": preference.applied } };
}

/** Records of this page: of `$top` and what the client prefers, the smaller. */
function pageSizeOf(
  { top }: CollectionOptions,
  preference: PagePreference | undefined,
  { config }: OdataServices,
): number {
  const preferred = preference?.size ?? config.pageSize;
  if (top === undefined) return preferred;
  return preference === undefined ? top : Math.min(top, preferred);
}

function bind(options: CollectionOptions & { readonly top: number }, entitySet: EntitySet): BoundQuery {
  const { filter, ignoreCase, orderBy, select, top, skip, placekey, aliases } = options;
  const query = bindQuery({ filter, orderBy, select, top, skip }, entitySet, defaultOrder, {
    aliases,
    ignoreCase,
  });
  if (placekey === undefined) return query;
  return { ...query, filter: allOf(isAtPlacekey(placekey, entitySet), query.filter) };
}

async function run(
  query: RestrictedQuery,
  { options: { count, ignoreNulls } }: Walk,
  from: Bookmark | undefined,
  { gone }: OdataRequest,
  { store }: OdataServices,
): Promise<Page> {
  try {
    return await store.page(query, { from, count, nulls: !ignoreNulls, signal: gone() });
  } catch (error) {
    throw error instanceof StoreError && error.code === "bookmark_expired" ? staleToken() : error;
  }
}

function render(
  { records, release, next, count }: Page,
  query: BoundQuery,
  walk: Walk,
  request: OdataRequest,
  { config, skipTokenKey, now }: OdataServices,
): Answer {
  const { root } = request;
  const expires = Math.floor(now() / 1000) + config.tokenLife;
  const nextLink =
    next === null
      ? undefined
      : linkToNextPage(
          walk,
          { bookmark: next, resource: `${root}/${walk.entitySet}`, query: request.query, expires },
          skipTokenKey,
        );
  return { ...renderCollection({ root, query, records, count, nextLink }), release };
}
