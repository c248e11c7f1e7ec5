import type { Row } from "@cadastre/odata";

/** Functions that compute fields of a listing, by field; undefined for no value. */
const computedValues: Readonly<Record<string, (listing: Row) => unknown>> = {
  Coordinates: ({ Latitude, Longitude }) =>
    typeof Latitude === "number" && typeof Longitude === "number"
      ? { type: "Point", coordinates: [Longitude, Latitude] }
      : undefined,
};

/** Returns the listing with all computed fields replaced by computed values. */
export function withComputedValues(listing: Row): Row {
  const computed = Object.entries(computedValues).map(([name, compute]): [string, unknown] => [
    name,
    compute(listing),
  ]);
  return { ...listing, ...Object.fromEntries(computed) };
}
