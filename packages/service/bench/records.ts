import type { Row } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { provisionalIdRow } from "../src/identity/provisional-id.ts";
import { type Listing, listingsUpTo } from "./listing.ts";
import type { ResourceChoice } from "./resources.ts";

const datasets = new Map<string, string>(sampleSystems.map(({ name, datasetId }) => [name, datasetId]));

const withoutNulls = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, v]) => v !== null));

const located = ({ Longitude, Latitude }: Listing): Row => ({
  Coordinates: { type: "Point", coordinates: [Longitude, Latitude] },
});

/** Yields the first `count` listings as records of a store. */
export function* recordsOf(choice: ResourceChoice, count: number): Generator<StoredRecord> {
  if (choice === "dictionary") {
    for (const { datasetId, property } of generateMarket({ seed: 1, listings: count }).listingsWithMedia()) {
      const hidden = provisionalIdRow(datasetId, property);
      yield { resource: "Property", datasetId, record: property, hidden };
    }
    return;
  }
  for (const listing of listingsUpTo(count)) {
    const record = withoutNulls({ ...listing, ...(choice === "located" ? located(listing) : {}) });
    const datasetId = datasets.get(String(listing["OriginatingSystemName"]));
    if (datasetId === undefined) throw new RangeError("a listing of no known system");
    yield { resource: "Property", datasetId, record };
  }
}
