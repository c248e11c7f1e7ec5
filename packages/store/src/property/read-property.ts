import { provisionalIdProperty, restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import {
  anyOf,
  type BoundNode,
  type BoundQuery,
  bindQuery,
  constant,
  type EntitySet,
  parseOrderBy,
  parseSelect,
  propertyNode,
  type Row,
  type StructuralProperty,
} from "@cadastre/odata";
import type { ReadOptions, Store } from "../store.ts";
import { attributeFields } from "./attributes.ts";
import { type Identities, type Identity, isPlacekey } from "./identity.ts";
import { inPrecedence } from "./survivorship.ts";
import { type PropertyView, viewOf } from "./view.ts";

/** Listings of one property that are read: of more, the newest. */
const mostListings = 500;

export type PropertyReads = {
  readonly store: Pick<Store, "page">;
  /** The listings, hidden fields and all. */
  readonly entitySet: EntitySet;
  readonly scope: Scope;
  readonly identities: Identities;
};

/**
 * The property that goes by an id, from the listings that the scope grants and as it shows them; undefined if it shows
 * none. A listing with a Placekey belongs there; one without belongs to its provisional id, and where that was resolved to.
 * An id that no listing goes by any more answers as the Placekey that its listings have got.
 */
export async function readProperty(
  id: string,
  reads: PropertyReads,
  { signal }: Pick<ReadOptions, "signal"> = {},
): Promise<PropertyView | undefined> {
  const { entitySet, scope, identities } = reads;
  const { properties } = visibleEntitySet(entitySet, scope).type;
  const isSeen = (field: string) => properties.has(field);
  const identity = identities(id);
  const found = await listingsOf(identity, reads, signal);
  const own = found.filter((listing) => belongs(listing, identity));
  if (own.length > 0) return viewOf(identity.id, own, isSeen);
  const [lead] = inPrecedence(found);
  if (lead === undefined) return undefined;
  const moved = identities(String(lead["Placekey"]));
  const there = await listingsOf(moved, reads, signal);
  return viewOf(
    moved.id,
    there.filter((listing) => belongs(listing, moved)),
    isSeen,
  );
}

const namesOf = ({ id, resolved }: Identity): readonly string[] => [id, ...resolved];

const belongs = ({ Placekey }: Row, identity: Identity): boolean =>
  !isPlacekey(Placekey) || namesOf(identity).includes(Placekey);

async function listingsOf(
  identity: Identity,
  { store, entitySet, scope }: PropertyReads,
  signal: AbortSignal | undefined,
): Promise<readonly Row[]> {
  const visible = visibleEntitySet(entitySet, scope);
  const query = { ...listingQuery(visible), filter: goesBy(identity, visible) };
  const { records, release } = await store.page(restrict(query, scope), { nulls: false, signal });
  const text = Buffer.from(records).toString();
  release?.();
  return JSON.parse(`[${text}]`) as readonly Row[];
}

const listingQueries = new WeakMap<EntitySet, BoundQuery>();

/** What is read of listings, in every query of the same visible set. */
function listingQuery(visible: EntitySet): BoundQuery {
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

/** Ids that a condition lists at least, so that those of a property that has few look like those of one that there is not. */
const leastIds = 4;

/** Whether a listing goes by an id of the property. Both conditions list all ids, so that they tell nothing of which is which. */
function goesBy(identity: Identity, { type }: EntitySet): BoundNode {
  const ids = namesOf(identity);
  const padded = [
    ...ids,
    ...Array.from({ length: Math.max(0, leastIds - ids.length) }, () => identity.id),
  ].map(textNode);
  const placekey = type.properties.get("Placekey");
  return anyOf(
    placekey === undefined ? constant(false) : isOneOf(placekey, padded),
    isOneOf(provisionalIdProperty, padded),
  );
}

const textNode = (text: string): BoundNode => ({ kind: "Constant", type: "Edm.String", value: text });

const isOneOf = (property: StructuralProperty, values: readonly BoundNode[]): BoundNode => ({
  kind: "Membership",
  type: "Edm.Boolean",
  operand: propertyNode(property),
  values,
});
