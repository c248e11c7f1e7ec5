import type { Row } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import { coordinatesOf, doubtOf, isInStateOf, statesOf } from "../identity/coordinates.ts";
import type { NoteCode } from "./notes.ts";
import type { RecordFault } from "./record-faults.ts";
import type { Source } from "./sources.ts";

/** Returns the faults of a listing's coordinates. */
export function placeFaults(
  record: Row,
  resource: RecordName,
  { datasetId }: Source,
  catalog: Catalog,
): readonly RecordFault[] {
  const place = resource === "Property" ? coordinatesOf(record) : undefined;
  return place !== undefined && isInStateOf(place, record, statesOf(catalog, datasetId)) === false
    ? [{ field: "Latitude", code: "coordinates_outside_state" }]
    : [];
}

/** A listing with the Placekey that identifies its property, if any, and a note on it. */
export type Placed = { readonly record: Row; readonly told: NoteCode | undefined };

/**
 * Sets the Placekey of a listing. The operator's is always used. The source's is used if it lies where the listing does; otherwise it
 * is removed, so that the listing does not become part of another property.
 *
 * @param assigned the Placekey of the operator's crosswalk
 */
export function placed(
  record: Row,
  assigned: string | undefined,
  { datasetId }: Source,
  catalog: Catalog,
): Placed {
  const placekey = assigned ?? record["Placekey"];
  const doubt =
    typeof placekey === "string" ? doubtOf(placekey, record, statesOf(catalog, datasetId)) : undefined;
  if (assigned !== undefined)
    return { record: { ...record, Placekey: assigned }, told: doubt && `assigned_placekey_${doubt}` };
  return doubt === undefined
    ? { record, told: undefined }
    : { record: { ...record, Placekey: null }, told: `placekey_${doubt}` };
}
