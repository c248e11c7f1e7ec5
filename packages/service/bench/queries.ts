import { type Listing, listingAt, listingKeyAt } from "./listing.ts";

/** A query as a path for each server. With the same `turn`, all servers get the same query. */
export type Query = {
  readonly name: string;
  readonly floor: (turn: number, listings: number) => string;
  readonly service: (turn: number, listings: number) => string;
  /** True to follow the next links to the last page. */
  readonly walk?: true;
};

export const collection = "/reso/odata/Property";

export const options = (given: Readonly<Record<string, string>>): string =>
  `?${Object.entries(given)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;

/** Returns a key for each turn, spread over all listings, and never the same twice in a row. */
export const keyAt = (turn: number, listings: number): string => listingKeyAt((turn * 7919) % listings);

/** Returns one of two hundred prices from `start` on, so that neither answers nor literals are cached. */
const priceAt = (turn: number, start: number): number => start + (turn % 200) * 10;

/** Returns an existing listing, a different one for each turn. */
export const someListing = (turn: number, listings: number): Listing => listingAt((turn * 7919) % listings);

/** Returns a text as a literal of OData. */
export const text = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;

/** Returns a price range with a third of the active listings. */
const middling = (turn: number) => {
  const least = priceAt(turn, 300_000);
  return { least, most: least + 300_000 };
};
/** Returns a minimum price that five of six active listings have. */
const leastToCount = (turn: number) => priceAt(turn, 200_000);

/** Queries that the floors can also answer. */
export const byKey: Query = {
  name: "key",
  floor: (turn, listings) => `/key?a=${keyAt(turn, listings)}`,
  service: (turn, listings) => `${collection}('${keyAt(turn, listings)}')`,
};

export const search: Query = {
  name: "filter, sort, top 100",
  floor: (turn) => `/search?a=${middling(turn).least}&b=${middling(turn).most}`,
  service: (turn) => {
    const { least, most } = middling(turn);
    const $filter = `StandardStatus eq 'Active' and ListPrice ge ${least} and ListPrice le ${most} and BedroomsTotal ge 3`;
    return collection + options({ $filter, $orderby: "ModificationTimestamp desc", $top: "100" });
  },
};

export const page: Query = {
  name: "page of 1,000",
  floor: () => "/page",
  service: () => collection + options({ $top: "1000" }),
};

export const count: Query = {
  name: "count and 20",
  floor: (turn) => `/count?a=${leastToCount(turn)}`,
  service: (turn) => {
    const $filter = `StandardStatus eq 'Active' and ListPrice ge ${leastToCount(turn)}`;
    return collection + options({ $filter, $count: "true", $top: "20" });
  },
};

export const cityAndPrice: Query = {
  name: "city and price",
  floor: (turn, listings) => {
    const { City, ListPrice } = someListing(turn, listings);
    return `/city?a=${encodeURIComponent(String(City))}&b=${String(ListPrice)}`;
  },
  service: (turn, listings) => {
    const { City, ListPrice } = someListing(turn, listings);
    const $filter = `City eq ${text(City)} and ListPrice ge ${String(ListPrice)}`;
    return collection + options({ $filter, $top: "20" });
  },
};

export const walk: Query = {
  name: "a page of the walk",
  floor: () => "/walk",
  service: () => collection + options({ $top: "1000" }),
  walk: true,
};

/** A page of whole records. Its floor has their texts. */
export const wholeRecords: Query = {
  name: "page of 200, 946 fields",
  floor: () => "/records",
  service: () => collection + options({ $top: "200" }),
};
