import type { Row } from "@cadastre/odata";

/** Fields that the service computes, each with its value for a listing; undefined for none. */
const computedValues: Readonly<Record<string, (listing: Row) => unknown>> = {
  Coordinates: ({ Latitude, Longitude }) =>
    typeof Latitude === "number" && typeof Longitude === "number"
      ? { type: "Point", coordinates: [Longitude, Latitude] }
      : undefined,
};

/** The listing with every computed field computed, whatever it held before. */
export function withComputedValues(listing: Row): Row {
  const computed = Object.entries(computedValues).map(([name, compute]): [string, unknown] => [
    name,
    compute(listing),
  ]);
  return { ...listing, ...Object.fromEntries(computed) };
}
