import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  type EntitySet,
  parseFilter,
  parseOrderBy,
  parseSelect,
  type Row,
} from "@cadastre/odata";
import { allOf, anyOf, isAmong, propertyNode } from "@cadastre/odata/tree";
import { compareCodePoints } from "../code-points.ts";
import type { ListingReads } from "../read-listings.ts";
import { attributeFields } from "./attributes.ts";
import { placekeyPattern } from "./identity.ts";

/** Maximum number of listings to read of one property; the newest ones are read. */
export const mostListings = 500;

const timeOf = ({ ModificationTimestamp }: Row): number => Date.parse(String(ModificationTimestamp));

/** Returns the listings of a property that are read: the newest {@link mostListings}. */
export const newest = (listings: Row[]): Row[] =>
  listings.length <= mostListings
    ? listings
    : listings
        .toSorted(
          (a, b) =>
            timeOf(b) - timeOf(a) || compareCodePoints(String(a["ListingKey"]), String(b["ListingKey"])),
        )
        .slice(0, mostListings);

const listingQueries = new WeakMap<EntitySet, BoundQuery>();

/** Returns the query for listings that all queries of the same visible entity set are based on. It sorts the newest first. */
export function listingQuery({ entitySet, scope }: ListingReads): BoundQuery {
  const visible = visibleEntitySet(entitySet, scope);
  const known = listingQueries.get(visible);
  if (known !== undefined) return known;
  const names = ["Placekey", ...attributeFields].filter((name) => visible.type.properties.has(name));
  const query = bindQuery(
    {
      select: parseSelect(names.join()),
      orderBy: parseOrderBy("ModificationTimestamp desc"),
      top: mostListings,
    },
    visible,
  );
  listingQueries.set(visible, query);
  return query;
}

/** Returns the condition that a listing shows no Placekey, so that it belongs to its provisional id. */
export function hasNoPlacekey(visible: EntitySet): BoundNode {
  if (!visible.type.properties.has("Placekey")) return allOf();
  const filter = parseFilter(`Placekey eq null or not matchesPattern(Placekey,'${placekeyPattern.source}')`);
  return bindQuery({ filter, top: 0 }, visible).filter;
}

/**
 * Returns the condition that a listing has one of the ids as its Placekey or, if `isProvisional` holds, as its provisional id.
 */
export function goesBy(
  ids: readonly BoundNode[],
  { type }: EntitySet,
  isProvisional: BoundNode = allOf(),
): BoundNode {
  const placekey = type.properties.get("Placekey");
  return anyOf(
    placekey === undefined ? anyOf() : isAmong(propertyNode(placekey), ids),
    allOf(isAmong(propertyNode(provisionalIdProperty), ids), isProvisional),
  );
}
