import { listingKeyAt } from "./listing.ts";

/** One query in the words of each server. The same `turn` asks all of them the same. */
export type Query = {
  readonly name: string;
  readonly floor: (turn: number, listings: number) => string;
  readonly service: (turn: number, listings: number) => string;
  /** Answered one page after the other, to the end. */
  readonly walk?: true;
};

export const collection = "/reso/odata/Property";

export const options = (given: Readonly<Record<string, string>>): string =>
  `?${Object.entries(given)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;

/** Spread over all listings: no key is asked for twice in a row. */
export const keyAt = (turn: number, listings: number): string => listingKeyAt((turn * 7919) % listings);

/** Some two hundred ranges, so that no answer and no literal can be remembered. */
export function pricesAt(turn: number): readonly [least: number, most: number] {
  const least = 300_000 + (turn % 200) * 10;
  return [least, least + 300_000];
}

const priced = (turn: number) => {
  const [least, most] = pricesAt(turn);
  return `StandardStatus eq 'Active' and ListPrice ge ${least} and ListPrice le ${most}`;
};
const floorPriced = (path: string, turn: number) => {
  const [least, most] = pricesAt(turn);
  return `${path}?a=${least}&b=${most}`;
};

/** The queries that have a floor. */
export const queries: readonly Query[] = [
  {
    name: "key",
    floor: (turn, listings) => `/key?a=${keyAt(turn, listings)}`,
    service: (turn, listings) => `${collection}('${keyAt(turn, listings)}')`,
  },
  {
    name: "filter, sort, top 100",
    floor: (turn) => floorPriced("/search", turn),
    service: (turn) =>
      collection +
      options({
        $filter: `${priced(turn)} and BedroomsTotal ge 3`,
        $orderby: "ModificationTimestamp desc",
        $top: "100",
      }),
  },
  { name: "page of 1,000", floor: () => "/page", service: () => collection + options({ $top: "1000" }) },
  {
    name: "count and 20",
    floor: (turn) => floorPriced("/count", turn),
    service: (turn) => collection + options({ $filter: priced(turn), $count: "true", $top: "20" }),
  },
  {
    name: "a page of the walk",
    floor: () => "/walk",
    service: () => collection + options({ $top: "1000" }),
    walk: true,
  },
];
