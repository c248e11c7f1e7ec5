import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, Row, StructuralProperty } from "@cadastre/odata";
import { allOf, propertyNode, textConstant } from "@cadastre/odata/tree";
import { compareCodePoints } from "../code-points.ts";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Resolution } from "../registry/identities.ts";
import type { Bookmark } from "../store.ts";
import { type Identities, identitiesOf, isPlacekey } from "./identity.ts";
import { hasNoPlacekey, listingQuery, mostListings, newest } from "./listings.ts";
import { merged } from "./merged.ts";
import { isSeenBy, readIdentity } from "./read-property.ts";
import { type PropertyView, viewOf } from "./view.ts";

export type AllPropertyReads = ListingReads & {
  /** Resolutions as of the same moment as the properties. */
  readonly resolutions: readonly Resolution[];
};

/** The checkpoint to read as of, and the id after which to start. */
export type AllPropertyOptions = ListingOptions & {
  readonly asOf: number;
  readonly after?: string | null;
};

/** Number of listings in a page. */
const pageSize = 1000;

/**
 * Streams every property that the scope shows, ordered by the code points of the ids. Each is equal to what `readProperty`
 * returns for its id.
 *
 * Two walks over the listings, by Placekey and by provisional id, return the listings of a property one after another. Properties
 * with resolved ids are read one by one and merged in. Memory is limited to a page of each walk and the listings of one property.
 */
export async function* readProperties(
  reads: AllPropertyReads,
  { after = null, ...options }: AllPropertyOptions,
): AsyncGenerator<PropertyView> {
  const { entitySet, scope, resolutions } = reads;
  const identities = identitiesOf(resolutions);
  const visible = visibleEntitySet(entitySet, scope);
  const placekey = visible.type.properties.get("Placekey");
  const walk = (by: StructuralProperty, filter: BoundNode, idOf: (listing: Row) => unknown) =>
    propertiesBy({ by, filter, idOf, after: after ?? "" }, { ...reads, identities }, options);
  const resolved = [...new Set(resolutions.map(({ id }) => identities(id).id))].toSorted(compareCodePoints);
  yield* merged(
    [
      ...(placekey === undefined
        ? []
        : [walk(placekey, allOf(), ({ Placekey }) => (isPlacekey(Placekey) ? Placekey : undefined))]),
      walk(provisionalIdProperty, hasNoPlacekey(visible), (listing) =>
        isPlacekey(listing["Placekey"]) ? undefined : listing[provisionalIdProperty.name],
      ),
      resolvedProperties(
        resolved.filter((id) => after === null || compareCodePoints(id, after) > 0),
        { ...reads, identities },
        options,
      ),
    ],
    ({ id }) => id,
  );
}

type IdentifiedReads = ListingReads & { readonly identities: Identities };

async function* resolvedProperties(
  ids: readonly string[],
  reads: IdentifiedReads,
  options: ListingOptions,
): AsyncGenerator<PropertyView> {
  for (const id of ids) {
    const view = await readIdentity(reads.identities(id), reads, options);
    if (view !== undefined) yield view;
  }
}

type Walk = {
  /** Field that contains the id, by which the listings are sorted. */
  readonly by: StructuralProperty;
  readonly filter: BoundNode;
  /** Returns the id of a listing's property; not a text if the listing does not belong to the walk. */
  readonly idOf: (listing: Row) => unknown;
  /** Id after which to start; empty, which is no id, to start with the first. */
  readonly after: string;
};

/** Streams the properties of a walk that have no resolved ids. */
async function* propertiesBy(
  walk: Walk,
  reads: IdentifiedReads,
  options: ListingOptions,
): AsyncGenerator<PropertyView> {
  const isSeen = isSeenBy(reads);
  let [id, own]: [string | undefined, Row[]] = [undefined, []];
  for await (const listing of listingsBy(walk, reads, options)) {
    const listed = walk.idOf(listing);
    if (typeof listed !== "string" || isResolved(listed, reads)) continue;
    if (id !== undefined && id !== listed) yield viewOf(id, newest(own), isSeen);
    if (id !== listed) [id, own] = [listed, []];
    else if (own.length > 2 * mostListings) own = newest(own);
    own.push(listing);
  }
  if (id !== undefined) yield viewOf(id, newest(own), isSeen);
}

function isResolved(id: string, { identities }: IdentifiedReads): boolean {
  const identity = identities(id);
  return identity.id !== id || identity.resolved.length > 0;
}

async function* listingsBy(
  { by, filter, after }: Walk,
  reads: ListingReads,
  options: ListingOptions,
): AsyncGenerator<Row> {
  const base = listingQuery(reads);
  const operand = propertyNode(by);
  const right = textConstant(after);
  const beyond: BoundNode = { kind: "Compare", type: "Edm.Boolean", comparator: "gt", left: operand, right };
  const key = base.orderBy.slice(-1);
  const query: BoundQuery = {
    ...base,
    select: [...base.select.filter(({ property }) => property !== by), { property: by, expression: operand }],
    filter: allOf(beyond, filter),
    orderBy: [{ expression: operand, direction: "asc" }, ...key],
    top: pageSize,
  };
  for (let from: Bookmark | null | undefined; from !== null; ) {
    const { listings, next } = await readListings(query, reads, { ...options, from });
    yield* listings;
    from = next;
  }
}
