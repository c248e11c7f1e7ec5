import type { Row } from "@cadastre/odata";
import { isInState, originatingSystems } from "@cadastre/reso";
import { cellToLatLng, greatCircleDistance } from "h3-js";
import { cellOfPlacekey } from "./placekey.ts";

/** Degrees. */
export type Place = [latitude: number, longitude: number];

/** How far a place may be from the middle of its Placekey's hexagon, in kilometres: a parcel may be large, and its point anywhere in it. */
const farthest = 1;

/** The coordinates of a record; undefined without both, or for what is no place on Earth. */
export function placeOf({ Latitude, Longitude }: Row): Place | undefined {
  if (typeof Latitude !== "number" || typeof Longitude !== "number") return undefined;
  return Math.abs(Latitude) <= 90 && Math.abs(Longitude) <= 180 ? [Latitude, Longitude] : undefined;
}

/** True if the text is a Placekey of a hexagon at the place. */
export function isAtPlace(placekey: string, place: Place): boolean {
  const cell = cellOfPlacekey(placekey);
  return cell !== undefined && greatCircleDistance(cellToLatLng(cell), place, "km") <= farthest;
}

/** The middle of a Placekey's hexagon; undefined for a text that is no Placekey. */
function placeOfPlacekey(placekey: string): Place | undefined {
  const cell = cellOfPlacekey(placekey);
  return cell === undefined ? undefined : cellToLatLng(cell);
}

/**
 * True if a place lies in the state that the record names, or else in one of the states of its originating system.
 * Undefined if the bounds of none of them are known.
 */
export function isInStateOf(
  place: Place,
  { StateOrProvince }: Row,
  datasetId: string | null,
): boolean | undefined {
  const states =
    typeof StateOrProvince === "string" && StateOrProvince !== "" ? [StateOrProvince] : statesOf(datasetId);
  const found = states.map((state) => isInState(state, ...place));
  if (found.includes(true)) return true;
  return found.length === 0 || found.includes(undefined) ? undefined : false;
}

const statesOf = (datasetId: string | null): readonly string[] =>
  originatingSystems.find((system) => system.datasetId === datasetId)?.states ?? [];

/** What speaks against the identity that a Placekey would give a listing. */
export type PlacekeyDoubt = "far_from_coordinates" | "outside_state";

/**
 * Holds a listing's Placekey against its coordinates; against its state where it has none. A Placekey that neither
 * contradicts is trusted.
 */
export function doubtOf(placekey: string, listing: Row, datasetId: string | null): PlacekeyDoubt | undefined {
  const place = placeOf(listing);
  if (place !== undefined) return isAtPlace(placekey, place) ? undefined : "far_from_coordinates";
  const middle = placeOfPlacekey(placekey);
  if (middle === undefined) return undefined;
  return isInStateOf(middle, listing, datasetId) === false ? "outside_state" : undefined;
}
