import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import {
  allOf,
  type BoundNode,
  type BoundQuery,
  propertyNode,
  type Row,
  type StructuralProperty,
} from "@cadastre/odata";
import { compareCodePoints } from "../code-points.ts";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Resolution } from "../registry/identities/identity.ts";
import type { Bookmark } from "../store.ts";
import { type Identities, identitiesOf, isPlacekey } from "./identity.ts";
import { hasNoPlacekey, listingQuery, mostListings } from "./listings.ts";
import { merged } from "./merged.ts";
import { isSeenBy, readIdentity } from "./read-property.ts";
import { type PropertyView, viewOf } from "./view.ts";

export type AllPropertyReads = ListingReads & {
  /** What was resolved, as of the moment that the properties are of. */
  readonly resolutions: readonly Resolution[];
};

/** Where properties are read from: as of a checkpoint, those after an id. */
export type AllPropertyOptions = ListingOptions & {
  readonly asOf: number;
  readonly after?: string | null;
};

/** Listings of a page. */
const pageSize = 1000;

/**
 * Every property that the scope shows, in order of the code points of the ids, each as `readProperty` gives it for its id.
 * Two walks over the listings, by Placekey and by provisional id, give those of one property one after the other; what ids
 * were resolved to is read by itself, when its turn comes. What is held is one page of each, and a property's listings.
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
  /** What tells the id, and the listings are in order of. */
  readonly by: StructuralProperty;
  readonly filter: BoundNode;
  /** The id of the property that the listing is of; undefined: it is of another walk. */
  readonly idOf: (listing: Row) => unknown;
  /** The empty text is no id. */
  readonly after: string;
};

/** The properties that go by no other id than their listings say. */
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

const timeOf = ({ ModificationTimestamp }: Row): number => Date.parse(String(ModificationTimestamp));

/** The listings that `readProperty` reads. */
const newest = (listings: Row[]): Row[] =>
  listings.length <= mostListings
    ? listings
    : listings
        .toSorted(
          (a, b) =>
            timeOf(b) - timeOf(a) || compareCodePoints(String(a["ListingKey"]), String(b["ListingKey"])),
        )
        .slice(0, mostListings);

async function* listingsBy(
  { by, filter, after }: Walk,
  reads: ListingReads,
  options: ListingOptions,
): AsyncGenerator<Row> {
  const base = listingQuery(reads);
  const operand = propertyNode(by);
  const right: BoundNode = { kind: "Constant", type: "Edm.String", value: after };
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
