import type { Row } from "@cadastre/odata";

/** Functions that compute fields of a listing, by field; undefined for no value. */
const computedValues: Readonly<Record<string, (listing: Row) => unknown>> = {
  Coordinates: ({ Latitude, Longitude }) =>
    typeof Latitude === "number" && typeof Longitude === "number"
      ? { type: "Point", coordinates: [Longitude, Latitude] }
      : undefined,
};

/** Returns the listing with all computed fields replaced by computed values. It may be the same object. */
export function withComputedValues(listing: Row): Row {
  const computed = Object.entries(computedValues)
    .map(([name, compute]): [string, unknown] => [name, compute(listing)])
    .filter(([name, value]) => JSON.stringify(listing[name] ?? undefined) !== JSON.stringify(value));
  // Some sources give what is computed, and a copy of some hundred fields costs as much as parsing them.
  return computed.length === 0 ? listing : { ...listing, ...Object.fromEntries(computed) };
}
