import { mediaPermissionProperty } from "@cadastre/entitlement";
import type { OwnLookupValue } from "@cadastre/reso";
import type { SampleMarket, SampleRow } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { provisionalIdRow } from "../identity/provisional-id.ts";
import { withComputedValues } from "../ingest/computed-values.ts";
import { listingValues } from "../ingest/listing-values.ts";
import { sourceOf } from "../ingest/sources.ts";
import { OwnLookups } from "./own-lookups.ts";

/** A part of a market: the listings of a range with what belongs to them, or all records of a resource. */
type MarketPart = { readonly from: number; readonly to: number } | SampleRow["resource"];

/** Number of listings in a part. */
const listingsInPart = 100;

/** Returns the parts of a market, in an order in which each record refers only to earlier ones. */
export const marketParts = (listings: number): readonly MarketPart[] => [
  "Office",
  "Member",
  ...Array.from({ length: Math.ceil(listings / listingsInPart) }, (_, i) => ({
    from: i * listingsInPart,
    to: Math.min((i + 1) * listingsInPart, listings),
  })),
  "PublicRecord",
];

/** Yields the records of a part of a market. */
export function* recordsOfPart(market: SampleMarket, part: MarketPart): Generator<StoredRecord> {
  for (const row of typeof part === "string" ? market.rows(part) : listingRecords(market, part))
    yield { ...row, source: sourceOf(sampleCatalog, row.datasetId) };
}

/** Yields the records of all lookups, with those values that only the systems have. */
export function* lookupRecords(own: Iterable<OwnLookupValue>): Generator<StoredRecord> {
  for (const row of sampleCatalog.lookups.rows(own))
    yield { resource: "Lookup", source: sourceOf(sampleCatalog, row.datasetId), ...row };
}

/** Yields all records of a sample market and its lookups. */
export function* sampleRecords(market: SampleMarket): Generator<StoredRecord> {
  const lookups = new OwnLookups(sampleCatalog);
  for (const part of marketParts(market.listings))
    for (const stored of recordsOfPart(market, part)) {
      lookups.see(stored);
      yield stored;
    }
  yield* lookupRecords(lookups.found());
}

function* listingRecords(
  { listing }: SampleMarket,
  { from, to }: Exclude<MarketPart, string>,
): Generator<StoredRecord> {
  for (let index = from; index < to; index++) {
    const { datasetId, property, media, mediaAssets, openHouses } = listing(index);
    const identity = provisionalIdRow(datasetId, property);
    yield { resource: "Property", datasetId, record: withComputedValues(property), hidden: identity };
    const hidden = listingValues(datasetId, property);
    for (const record of media) yield { resource: "Media", datasetId, record, hidden };
    for (const [k, record] of mediaAssets.entries()) {
      const permission = { [mediaPermissionProperty.name]: media[k]?.["Permission"] };
      yield { resource: "MediaAsset", datasetId, record, hidden: { ...hidden, ...permission } };
    }
    for (const record of openHouses) yield { resource: "OpenHouse", datasetId, record, hidden };
  }
}
