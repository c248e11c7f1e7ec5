import { mediaPermissionProperty } from "@cadastre/entitlement";
import type { SampleMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { provisionalIdRow } from "../identity/provisional-id.ts";
import { withComputedValues } from "../ingest/computed-values.ts";
import { listingValues } from "../ingest/listing-values.ts";
import { sourceOf } from "../ingest/sources.ts";
import { OwnLookups } from "./own-lookups.ts";

/** Yields all records of a sample market and its lookups, so that each record refers only to earlier ones. */
export function* sampleRecords(market: SampleMarket): Generator<StoredRecord> {
  const lookups = new OwnLookups(sampleCatalog);
  for (const row of marketRecords(market)) {
    lookups.see(row);
    yield { ...row, source: sourceOf(sampleCatalog, row.datasetId) };
  }
  for (const row of sampleCatalog.lookups.rows(lookups.found()))
    yield { resource: "Lookup", source: sourceOf(sampleCatalog, row.datasetId), ...row };
}

function* marketRecords(market: SampleMarket): Generator<StoredRecord> {
  for (const resource of ["Office", "Member"] as const) yield* market.rows(resource);
  for (const { datasetId, property, media, mediaAssets, openHouses } of market.listingsWithMedia()) {
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
  yield* market.rows("PublicRecord");
}
