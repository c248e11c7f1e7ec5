import type { Row } from "@cadastre/odata";
import { type Catalog, isInState } from "@cadastre/reso";
import { cellToLatLng, greatCircleDistance } from "h3-js";
import { cellOfPlacekey } from "./placekey.ts";

/** Coordinates in degrees. */
export type Coordinates = [latitude: number, longitude: number];

/**
 * Maximum distance of a listing from the centre of its Placekey's hexagon, in kilometres. The hexagons are far smaller, but a parcel may be
 * large, and its coordinates anywhere in it.
 */
const maxDistanceKm = 1;

/** Returns the coordinates of a record. Undefined if one is missing or out of range. */
export function coordinatesOf({ Latitude, Longitude }: Row): Coordinates | undefined {
  if (typeof Latitude !== "number" || typeof Longitude !== "number") return undefined;
  return Math.abs(Latitude) <= 90 && Math.abs(Longitude) <= 180 ? [Latitude, Longitude] : undefined;
}

/** True if the text is a Placekey whose hexagon has its centre within {@link maxDistanceKm} of the coordinates. */
export function isAtPlace(placekey: string, place: Coordinates): boolean {
  const cell = cellOfPlacekey(placekey);
  return cell !== undefined && greatCircleDistance(cellToLatLng(cell), place, "km") <= maxDistanceKm;
}

/** Returns the centre of a Placekey's hexagon. Undefined if the text is not a Placekey. */
function placeOfPlacekey(placekey: string): Coordinates | undefined {
  const cell = cellOfPlacekey(placekey);
  return cell === undefined ? undefined : cellToLatLng(cell);
}

/**
 * True if a place lies in the state that the record names, or else in one of the states of its originating system.
 * Undefined if the bounds of none of them are known.
 *
 * @param ofSystem states of its originating system
 */
export function isInStateOf(
  place: Coordinates,
  { StateOrProvince }: Row,
  ofSystem: readonly string[],
): boolean | undefined {
  const states = typeof StateOrProvince === "string" && StateOrProvince !== "" ? [StateOrProvince] : ofSystem;
  const found = states.map((state) => isInState(state, ...place));
  if (found.includes(true)) return true;
  return found.length === 0 || found.includes(undefined) ? undefined : false;
}

/** Returns the states of a dataset's originating system. */
export const statesOf = ({ systems }: Catalog, datasetId: string | null): readonly string[] =>
  systems.find((system) => system.datasetId === datasetId)?.states ?? [];

/** Reason not to trust the Placekey of a listing. */
export type PlacekeyDoubt = "far_from_coordinates" | "outside_state";

/**
 * Compares a listing's Placekey with its coordinates, or with its state if it has none. Undefined if the Placekey is trusted.
 *
 * @param ofSystem states of its originating system
 */
export function doubtOf(
  placekey: string,
  listing: Row,
  ofSystem: readonly string[],
): PlacekeyDoubt | undefined {
  const place = coordinatesOf(listing);
  if (place !== undefined) return isAtPlace(placekey, place) ? undefined : "far_from_coordinates";
  const middle = placeOfPlacekey(placekey);
  if (middle === undefined) return undefined;
  return isInStateOf(middle, listing, ofSystem) === false ? "outside_state" : undefined;
}
