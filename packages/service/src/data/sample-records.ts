import { lookupRows } from "@cadastre/reso";
import type { Market } from "@cadastre/sample";
import type { StoredRecord } from "@cadastre/store";
import { sourceOf } from "../ingest/sources.ts";
import { listingValues } from "./listing-values.ts";

/** Every record of a sample market, and of its lookups, in an order in which each refers to earlier ones only. */
export function* sampleRecords(market: Market): Generator<StoredRecord> {
  for (const row of lookupRows()) yield { resource: "Lookup", source: sourceOf(row.datasetId), ...row };
  for (const resource of ["Office", "Member"] as const)
    for (const row of market.rows(resource)) yield { ...row, source: sourceOf(row.datasetId) };
  for (const { datasetId, property, media, openHouses } of market.listingsWithMedia()) {
    const source = sourceOf(datasetId);
    yield { resource: "Property", datasetId, record: property, source };
    const hidden = listingValues(datasetId, property);
    for (const record of media) yield { resource: "Media", datasetId, record, hidden, source };
    for (const record of openHouses) yield { resource: "OpenHouse", datasetId, record, hidden, source };
  }
}
