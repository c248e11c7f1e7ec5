import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import {
  allOf,
  anyOf,
  type BoundNode,
  type BoundQuery,
  bindQuery,
  type EntitySet,
  parseFilter,
  parseOrderBy,
  parseSelect,
} from "@cadastre/odata";
import type { ListingReads } from "../read-listings.ts";
import { attributeFields } from "./attributes.ts";
import { placekeyPattern } from "./identity.ts";

/** Listings of one property that are read: of more, the newest. */
export const mostListings = 500;

const listingQueries = new WeakMap<EntitySet, BoundQuery>();

/** What is read of listings, in every query of the same visible set: the newest first. */
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

/** Whether a listing shows no Placekey, so that it goes by its provisional id. */
export function hasNoPlacekey(visible: EntitySet): BoundNode {
  if (!visible.type.properties.has("Placekey")) return allOf();
  const filter = parseFilter(`Placekey eq null or not matchesPattern(Placekey,'${placekeyPattern.source}')`);
  return bindQuery({ filter, top: 0 }, visible).filter;
}

/** Whether a listing is found by its Placekey or, where `isProvisional` holds, by its provisional id. */
export function goesBy(
  ids: readonly BoundNode[],
  { type }: EntitySet,
  isProvisional: BoundNode = allOf(),
): BoundNode {
  const isOneOf = (property: typeof provisionalIdProperty): BoundNode => ({
    kind: "Membership",
    type: "Edm.Boolean",
    operand: { kind: "Property", type: "Edm.String", property },
    values: ids,
  });
  const placekey = type.properties.get("Placekey");
  return anyOf(
    placekey === undefined ? anyOf() : isOneOf(placekey),
    allOf(isOneOf(provisionalIdProperty), isProvisional),
  );
}
