import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery, parseSelect, type Row } from "@cadastre/odata";
import { equals, propertyNode, textConstant } from "@cadastre/odata/tree";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import { isPlacekey } from "./identity.ts";

/** Selects the properties that {@link listedId} reads, as the scope shows them. */
export function selectListedId({ entitySet, scope }: ListingReads): BoundQuery["select"] {
  const visible = visibleEntitySet(entitySet, scope);
  const placekey = visible.type.properties.has("Placekey")
    ? bindQuery({ select: parseSelect("Placekey"), top: 0 }, visible).select
    : [];
  return [...placekey, { property: provisionalIdProperty, expression: propertyNode(provisionalIdProperty) }];
}

/**
 * Returns the property id that a listing itself has: its Placekey, or else its provisional id. Undefined if the scope shows
 * neither.
 */
export function listedId({ Placekey, [provisionalIdProperty.name]: provisional }: Row): string | undefined {
  if (isPlacekey(Placekey)) return Placekey;
  return typeof provisional === "string" ? provisional : undefined;
}

/** A listing that the scope shows, with its own property id. */
type ListedId = { readonly id: string | undefined };

/** Reads one listing's own property id. Undefined if the scope does not show the listing. */
export async function readListedId(
  listingKey: string,
  reads: ListingReads,
  options: ListingOptions = {},
): Promise<ListedId | undefined> {
  const { type, ...set } = visibleEntitySet(reads.entitySet, reads.scope);
  const key = type.properties.get("ListingKey");
  if (key === undefined) throw new TypeError("listings have no `ListingKey`");
  const query: BoundQuery = {
    ...bindQuery({ top: 1 }, { ...set, type }),
    select: selectListedId(reads),
    filter: equals(propertyNode(key), textConstant(listingKey)),
  };
  const [listing] = (await readListings(query, reads, options)).listings;
  return listing && { id: listedId(listing) };
}
