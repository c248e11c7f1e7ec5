import { visibleEntitySet } from "@cadastre/entitlement";
import type { BoundNode, Row } from "@cadastre/odata";
import { textConstant } from "@cadastre/odata/tree";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import { type Identities, type Identity, isPlacekey } from "./identity.ts";
import { goesBy, hasNoPlacekey, listingQuery } from "./listings.ts";
import { inPrecedence } from "./survivorship.ts";
import { type PropertyView, viewOf } from "./view.ts";

export type PropertyReads = ListingReads & { readonly identities: Identities };

/**
 * Returns the property with an id, as far as the scope grants its listings and their fields; undefined if it grants none of them. A listing
 * with a Placekey belongs to the property with that Placekey. A listing without one belongs to the property with its provisional id or,
 * if an operator has resolved this id, to the property that it was resolved to. If all listings of a provisional id have received a
 * Placekey since, the property with this Placekey is returned.
 */
export async function readProperty(
  id: string,
  reads: PropertyReads,
  options: ListingOptions = {},
): Promise<PropertyView | undefined> {
  const { identities } = reads;
  const identity = identities(id);
  const { own, moved } = await listingsOf(identity, reads, options);
  if (own.length > 0) return viewOf(identity.id, own, isSeenBy(reads));
  if (moved === undefined) return undefined;
  const there = identities(moved);
  return viewOf(there.id, (await listingsOf(there, reads, options)).own, isSeenBy(reads));
}

/** Returns the property of an identity, without following its listings to another one; undefined if no listing belongs to it. */
export async function readIdentity(
  identity: Identity,
  reads: ListingReads,
  options: ListingOptions,
): Promise<PropertyView | undefined> {
  const { own } = await listingsOf(identity, reads, options);
  return own.length === 0 ? undefined : viewOf(identity.id, own, isSeenBy(reads));
}

/**
 * Returns a filter that selects the listings which {@link readProperty} uses for an id, without its limit on their number. Use it
 * in a query of the entity set as the scope shows it.
 */
export async function bindListingsOf(
  id: string,
  reads: PropertyReads,
  options: ListingOptions = {},
): Promise<BoundNode> {
  const { identities } = reads;
  const identity = identities(id);
  const { own, moved } = await listingsOf(identity, reads, options);
  const answering = own.length > 0 || moved === undefined ? identity : identities(moved);
  const visible = visibleEntitySet(reads.entitySet, reads.scope);
  return goesBy(idNodes(answering), visible, hasNoPlacekey(visible));
}

/** Returns a function that is true for the fields of listings that the scope shows. */
export function isSeenBy({ entitySet, scope }: ListingReads): (field: string) => boolean {
  const { properties } = visibleEntitySet(entitySet, scope).type;
  return (field) => properties.has(field);
}

const namesOf = ({ id, resolved }: Identity): readonly string[] => [id, ...resolved];

type Found = {
  /** The listings of the property. */
  readonly own: readonly Row[];
  /** Placekey of the highest-ranked listing among those that have received another Placekey since. */
  readonly moved: string | undefined;
};

async function listingsOf(identity: Identity, reads: ListingReads, options: ListingOptions): Promise<Found> {
  const visible = visibleEntitySet(reads.entitySet, reads.scope);
  const names = namesOf(identity);
  const ids = idNodes(identity);
  const find = async (isProvisional?: BoundNode) => {
    const query = { ...listingQuery(reads), filter: goesBy(ids, visible, isProvisional) };
    const { listings, next } = await readListings(query, reads, options);
    return { listings, own: listings.filter((listing) => belongs(listing, names)), isAll: next === null };
  };
  const found = await find();
  // There were too many listings for one page, and those that have moved may have displaced others.
  const { own } = found.isAll ? found : await find(hasNoPlacekey(visible));
  const [lead] = inPrecedence(found.listings);
  return { own, moved: lead === undefined ? undefined : String(lead["Placekey"]) };
}

const belongs = ({ Placekey }: Row, names: readonly string[]): boolean =>
  !isPlacekey(Placekey) || names.includes(Placekey);

/**
 * Minimum number of ids in a condition. Ids are repeated up to this number, so that the condition for a property with few ids
 * looks the same as for one that does not exist.
 */
const leastIds = 4;

function idNodes(identity: Identity): readonly BoundNode[] {
  const names = namesOf(identity);
  const padding = Array.from({ length: Math.max(0, leastIds - names.length) }, () => identity.id);
  return [...names, ...padding].map(textConstant);
}
