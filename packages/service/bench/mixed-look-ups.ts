import { collection, options } from "./queries.ts";

/** Input for the requests: existing listings, and the ETag of `$metadata`. */
export type Sample = {
  readonly listings: readonly {
    readonly ListingKey: string;
    readonly City: string | null;
    readonly ListPrice: number;
    readonly Coordinates: { readonly coordinates: readonly number[] };
  }[];
  readonly etag: string;
};

export type MixedRequest = {
  readonly pathOf: (turn: number) => string;
  readonly headers?: Readonly<Record<string, string>>;
};

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Returns typical lookups. Source: interface specification, section 4.1. */
export function lookUpsOf({ listings, etag }: Sample): readonly MixedRequest[] {
  const at = (turn: number) => {
    const listing = listings[(turn * 7919) % listings.length];
    if (listing === undefined) throw new RangeError("no listing to look up");
    return listing;
  };
  const found = (given: Readonly<Record<string, string>>) => collection + options(given);
  const least = (turn: number) => 200_000 + (turn % 200) * 10;
  return [
    { pathOf: (turn) => `${collection}(${encodeURIComponent(quoted(at(turn).ListingKey))})` },
    {
      pathOf: (turn) => {
        const { City, ListPrice } = at(turn);
        return found({ $filter: `City eq ${quoted(City ?? "")} and ListPrice ge ${ListPrice}`, $top: "20" });
      },
    },
    { pathOf: (turn) => found({ $filter: `ListPrice ge ${least(turn)}`, $top: "200" }) },
    {
      pathOf: (turn) => {
        const $filter = `StandardStatus eq 'Active' and ListPrice ge ${least(turn)}`;
        return found({ $filter, $count: "true", $top: "20" });
      },
    },
    {
      pathOf: (turn) => {
        const [longitude = 0, latitude = 0] = at(turn).Coordinates.coordinates;
        const distance = `geo.distance(Coordinates,geography'SRID=4326;POINT(${longitude} ${latitude})')`;
        return found({ $filter: `${distance} le 3000`, $orderby: distance, $top: "20" });
      },
    },
    {
      pathOf: (turn) =>
        found({
          $select: "ListingKey,ListPrice,City,StandardStatus,ModificationTimestamp",
          $filter: `ModificationTimestamp ge 2024-01-01T00:00:00Z and ListPrice ge ${least(turn)}`,
          $top: "100",
        }),
    },
    {
      pathOf: (turn) =>
        `/reso/odata/Media${options({ $filter: `ResourceRecordKey eq ${quoted(at(turn).ListingKey)}`, $orderby: "Order" })}`,
    },
    { pathOf: () => "/reso/odata/$metadata", headers: { "if-none-match": etag } },
  ];
}
