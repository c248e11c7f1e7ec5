import { provisionalIdProperty, visibleEntitySet } from "@cadastre/entitlement";
import type { BoundQuery, Row, StructuralProperty } from "@cadastre/odata";
import { isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Resolution } from "../registry/identities.ts";
import type { Bookmark } from "../store.ts";
import { type Identity, identitiesOf, isPlacekey } from "./identity.ts";
import { listedId, selectListedId } from "./listed-id.ts";
import { listingQuery, mostListings, newest } from "./listings.ts";
import { isSeenBy } from "./read-property.ts";
import { type PropertyView, viewOf } from "./view.ts";

export type ChangedPropertyReads = ListingReads & {
  /** Resolutions to use at both checkpoints. */
  readonly resolutions: readonly Resolution[];
};

/** Number of ids that are looked up at once, and of listings in a page. */
const [idsAtOnce, pageSize] = [1000, 1000];

/**
 * Streams the properties with the given ids as of a checkpoint, in the order of the ids. An id without a property at that checkpoint is
 * skipped. Each property is equal to what `readProperty` returns for its id.
 */
export async function* readPropertiesOf(
  ids: readonly string[],
  { resolutions, ...reads }: ChangedPropertyReads,
  options: ListingOptions,
): AsyncGenerator<PropertyView> {
  const isSeen = isSeenBy(reads);
  const { select } = listingQuery(reads);
  for (const some of groupsOf(ids.map(identitiesOf(resolutions)))) {
    const found = new Map<string, Row[]>();
    for await (const [id, listing] of listingsOf(some, select, reads, options)) {
      const own = found.get(id) ?? [];
      own.push(listing);
      found.set(id, own.length > 2 * mostListings ? newest(own) : own);
    }
    for (const { id } of some) {
      const own = found.get(id);
      if (own !== undefined) yield viewOf(id, newest(own), isSeen);
    }
  }
}

/** Streams those of the given ids that have a property as of a checkpoint, in their order. */
export async function* presentPropertiesOf(
  ids: readonly string[],
  { resolutions, ...reads }: ChangedPropertyReads,
  options: ListingOptions,
): AsyncGenerator<string> {
  for (const some of groupsOf(ids.map(identitiesOf(resolutions)))) {
    const found = new Set<string>();
    for await (const [id] of listingsOf(some, [], reads, options)) found.add(id);
    for (const { id } of some) if (found.has(id)) yield id;
  }
}

const namesOf = ({ id, resolved }: Identity): readonly string[] => [id, ...resolved];

/** Divides identities into groups with some {@link idsAtOnce} names each. */
function* groupsOf(identities: readonly Identity[]): Generator<readonly Identity[]> {
  let [some, names]: [Identity[], number] = [[], 0];
  for (const identity of identities) {
    const more = namesOf(identity).length;
    if (some.length > 0 && names + more > idsAtOnce) {
      yield some;
      [some, names] = [[], 0];
    }
    some.push(identity);
    names += more;
  }
  if (some.length > 0) yield some;
}

/**
 * Streams the listings that belong to one of the identities, each with the id of its identity. Placekeys and provisional ids are looked up
 * one after the other, so that each look-up uses the index of its field.
 */
async function* listingsOf(
  identities: readonly Identity[],
  select: BoundQuery["select"],
  reads: ListingReads,
  options: ListingOptions,
): AsyncGenerator<readonly [id: string, listing: Row]> {
  const owners = new Map(
    identities.flatMap((identity) => namesOf(identity).map((name) => [name, identity.id] as const)),
  );
  const names = [...owners.keys()];
  const placekey = visibleEntitySet(reads.entitySet, reads.scope).type.properties.get("Placekey");
  const lookUps: readonly LookUp[] = [
    ...(placekey === undefined ? [] : [{ by: placekey, names: names.filter(isPlacekey) }]),
    { by: provisionalIdProperty, names: names.filter((name) => !isPlacekey(name)) },
  ];
  for (const lookUp of lookUps)
    for await (const listing of listingsNamed(lookUp, select, reads, options)) {
      const id = owners.get(listedId(listing) ?? "");
      if (id !== undefined) yield [id, listing];
    }
}

/** Names to look up, and the field that has them. */
type LookUp = { readonly by: StructuralProperty; readonly names: readonly string[] };

/**
 * Streams the listings that have one of the names, with the properties that {@link listedId} reads. They are sorted by name, so that the
 * store uses the index of the field.
 */
async function* listingsNamed(
  { by, names }: LookUp,
  select: BoundQuery["select"],
  reads: ListingReads,
  options: ListingOptions,
): AsyncGenerator<Row> {
  const [first] = names;
  if (first === undefined) return;
  // The statement has the same shape for any number of names.
  const padding = Array.from({ length: Math.max(0, idsAtOnce - names.length) }, () => first);
  const base = listingQuery(reads);
  const own = new Set(select.map(({ property }) => property.name));
  const query: BoundQuery = {
    ...base,
    select: [...select, ...selectListedId(reads).filter(({ property }) => !own.has(property.name))],
    filter: isAmong(propertyNode(by), [...names, ...padding].map(textConstant)),
    orderBy: [{ expression: propertyNode(by), direction: "asc" }, ...base.orderBy.slice(-1)],
    top: pageSize,
  };
  for (let from: Bookmark | null | undefined; from !== null; ) {
    const { listings, next } = await readListings(query, reads, { ...options, from });
    yield* listings;
    from = next;
  }
}
