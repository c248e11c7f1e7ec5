import { provisionalIdProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { provisionalIdOf } from "@cadastre/store/property";
import { latLngToCell } from "h3-js";
import { addressParts } from "./address.ts";

/**
 * Returns the provisional id of a listing's property, as a row of its one column. It is the property's id while no listing of it has a
 * Placekey. Listings of different systems with the same address in the same hexagon have the same one.
 */
export const provisionalIdRow = (datasetId: string | null, listing: Row): Row => ({
  [provisionalIdProperty.name]: provisionalId(datasetId, listing),
});

/**
 * Listings with the same address in the same hexagon get the same id. A listing without an address or coordinates gets an id of its own.
 * The id is a hash, and not an invented Placekey.
 */
function provisionalId(datasetId: string | null, listing: Row): string {
  const [cell, address] = [cellOf(listing), addressParts(listing)];
  const told =
    cell === undefined || address === undefined ? [datasetId, listing["ListingKey"]] : [cell, ...address];
  return provisionalIdOf(JSON.stringify(told));
}

/**
 * H3 resolution of the hexagons: about 5 km² each. Large enough that two systems mostly put an address into the same one although their
 * coordinates differ by metres, and small enough to separate equal addresses in different towns.
 */
const resolution = 7;

/** Returns the hexagon at a listing's coordinates. */
function cellOf({ Latitude, Longitude }: Row): string | undefined {
  if (typeof Latitude !== "number" || typeof Longitude !== "number") return undefined;
  const isOnEarth = Math.abs(Latitude) <= 90 && Math.abs(Longitude) <= 180;
  return isOnEarth ? latLngToCell(Latitude, Longitude, resolution) : undefined;
}
