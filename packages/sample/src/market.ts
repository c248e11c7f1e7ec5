import { cohortSize, type Listing, listingOf } from "./listing.ts";
import { changed } from "./listing-history.ts";
import { blockSize, type ListingPlan, planBlock } from "./listing-plan.ts";
import { listingRecord } from "./listing-record.ts";
import { mediaRecords } from "./media.ts";
import { mediaAssetRecords } from "./media-asset.ts";
import { memberOf, membersPerOffice } from "./member.ts";
import { officeOf, officesPerCohort } from "./office.ts";
import { openHouseRecords } from "./open-house.ts";
import { publicRecords } from "./public-record.ts";
import { mix } from "./random.ts";
import type { SampleRecord } from "./record.ts";
import { memberRecord, officeRecord } from "./roster.ts";
import { type System, systems } from "./systems.ts";

/** Resources of a market, in an order in which each one refers only to earlier ones. */
export const sampleResources = [
  "Office",
  "Member",
  "Property",
  "Media",
  "MediaAsset",
  "OpenHouse",
  "PublicRecord",
] as const;

export type SampleResource = (typeof sampleResources)[number];

/** A record with its resource and its dataset. */
export type SampleRow = {
  readonly resource: SampleResource;
  /** UUID of the dataset of the originating system. */
  readonly datasetId: string;
  readonly record: SampleRecord;
};

/** A listing with its media and open houses. */
export type SampleListing = {
  readonly datasetId: string;
  readonly property: SampleRecord;
  /** Media records by `Order`. */
  readonly media: readonly SampleRecord[];
  /** One record for each of `media`, in the same order. */
  readonly mediaAssets: readonly SampleRecord[];
  readonly openHouses: readonly SampleRecord[];
};

export type MarketOptions = {
  /** Any 32-bit integer: the same seed gives the same market. */
  readonly seed: number;
  /** Number of listings. A market with fewer listings is a prefix of a larger one. */
  readonly listings: number;
};

/** A market. Records are generated on demand and not kept; every iterable can be iterated repeatedly. */
export type SampleMarket = MarketOptions & {
  /** Generates listing `index`, from 0. */
  readonly listing: (index: number) => SampleListing;
  /**
   * Generates listing `index` after `step` further changes: of prices and statuses, or its deletion (undefined from then on).
   * Each step of a listing has a later `ModificationTimestamp` than the step before.
   */
  readonly listingAfter: (index: number, step: number) => SampleListing | undefined;
  readonly listingsWithMedia: () => IterableIterator<SampleListing>;
  readonly rows: (resource: SampleResource) => IterableIterator<SampleRow>;
  /** Generates all rows: offices, members, each listing followed by its media and open houses, then public records. */
  readonly allRows: () => IterableIterator<SampleRow>;
};

const numberOf = (count: number, of: number): number => Math.ceil(count / of);

/** Creates a market of `listings` listings from `seed`. */
export function generateMarket({ seed, listings }: MarketOptions): SampleMarket {
  if (!Number.isInteger(seed)) throw new RangeError("`seed` must be an integer");
  if (!Number.isInteger(listings) || listings < 0) throw new RangeError("`listings` must be a whole number");
  const own = mix(seed);
  const offices = numberOf(listings, cohortSize) * officesPerCohort;
  let block = -1;
  let plans: readonly ListingPlan[] = [];

  function plansOf(wanted: number): readonly ListingPlan[] {
    if (wanted !== block) {
      plans = planBlock(own, wanted);
      block = wanted;
    }
    return plans;
  }

  function at(index: number): Listing {
    if (!Number.isInteger(index) || index < 0 || index >= listings) {
      throw new RangeError(`no listing ${index} in a market of ${listings}`);
    }
    const plan = plansOf(Math.floor(index / blockSize))[index % blockSize] as ListingPlan;
    return listingOf(own, index, plan);
  }

  function* listed(): IterableIterator<Listing> {
    for (let index = 0; index < listings; index++) yield at(index);
  }

  const whole = (listing: Listing): SampleListing => ({
    datasetId: listing.system.datasetId,
    property: listingRecord(listing),
    media: mediaRecords(listing),
    mediaAssets: mediaAssetRecords(listing),
    openHouses: openHouseRecords(listing),
  });

  function* roster(
    resource: SampleResource,
    count: number,
    record: (system: System, number: number) => SampleRecord,
  ): IterableIterator<SampleRow> {
    for (let number = 0; number < count; number++) {
      for (const system of systems.values()) {
        yield { resource, datasetId: system.datasetId, record: record(system, number) };
      }
    }
  }

  function* perListing(
    resource: SampleResource,
    records: (listing: Listing) => readonly SampleRecord[],
  ): IterableIterator<SampleRow> {
    for (const listing of listed()) {
      for (const record of records(listing)) {
        yield { resource, datasetId: listing.system.datasetId, record };
      }
    }
  }

  function* recorded(): IterableIterator<SampleRow> {
    for (let first = 0; first < listings; first += blockSize) {
      const wanted = first / blockSize;
      const listed = plansOf(wanted).slice(0, listings - first);
      for (const { system, record } of publicRecords(own, wanted, listed))
        yield { resource: "PublicRecord", datasetId: system.datasetId, record };
    }
  }

  function rows(resource: SampleResource): IterableIterator<SampleRow> {
    switch (resource) {
      case "Office":
        return roster(resource, offices, (system, number) => officeRecord(officeOf(system, number)));
      case "Member":
        return roster(resource, offices * membersPerOffice, (system, number) =>
          memberRecord(memberOf(system, number)),
        );
      case "Property":
        return perListing(resource, (listing) => [listingRecord(listing)]);
      case "Media":
        return perListing(resource, mediaRecords);
      case "MediaAsset":
        return perListing(resource, mediaAssetRecords);
      case "OpenHouse":
        return perListing(resource, openHouseRecords);
      case "PublicRecord":
        return recorded();
    }
  }

  function* listingsWithMedia(): IterableIterator<SampleListing> {
    for (const listing of listed()) yield whole(listing);
  }

  function* allRows(): IterableIterator<SampleRow> {
    yield* rows("Office");
    yield* rows("Member");
    for (const { datasetId, property, media, mediaAssets, openHouses } of listingsWithMedia()) {
      yield { resource: "Property", datasetId, record: property };
      for (const record of media) yield { resource: "Media", datasetId, record };
      for (const record of mediaAssets) yield { resource: "MediaAsset", datasetId, record };
      for (const record of openHouses) yield { resource: "OpenHouse", datasetId, record };
    }
    yield* rows("PublicRecord");
  }

  function listingAfter(index: number, step: number): SampleListing | undefined {
    const listing = changed(at(index), step);
    return listing === undefined ? undefined : whole(listing);
  }

  return {
    seed,
    listings,
    listing: (index) => whole(at(index)),
    listingAfter,
    listingsWithMedia,
    rows,
    allRows,
  };
}
