import { provisionalIdProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { provisionalIdOf } from "@cadastre/store/property";
import { latLngToCell } from "h3-js";
import { addressOf } from "./address.ts";

/** What a listing's property is called while it has no Placekey, as its store keeps it. */
export const identityValues = (datasetId: string | null, listing: Row): Row => ({
  [provisionalIdProperty.name]: provisionalId(datasetId, listing),
});

/**
 * Listings of the same address in the same hexagon are of one property. One of which not both are known is alone. What a
 * Placekey would say of the address is not made up.
 */
function provisionalId(datasetId: string | null, listing: Row): string {
  const [cell, address] = [cellOf(listing), addressOf(listing)];
  const told =
    cell === undefined || address === undefined ? [datasetId, listing["ListingKey"]] : [cell, ...address];
  return provisionalIdOf(JSON.stringify(told));
}

/**
 * Of the hexagons: some 5 km² each, so that systems that place an address some metres apart mostly agree, and addresses
 * of one writing in two towns do not.
 */
const resolution = 7;

/** The hexagon at a listing's coordinates. */
function cellOf({ Latitude, Longitude }: Row): string | undefined {
  if (typeof Latitude !== "number" || typeof Longitude !== "number") return undefined;
  const isOnEarth = Math.abs(Latitude) <= 90 && Math.abs(Longitude) <= 180;
  return isOnEarth ? latLngToCell(Latitude, Longitude, resolution) : undefined;
}
