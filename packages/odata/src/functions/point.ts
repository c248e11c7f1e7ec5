import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

/** Returns the point at a longitude and latitude in degrees; null if they are out of range. */
export const point: FunctionEntry = defineFunction({
  name: "geo.point",
  source: "RFC 7946, section 3.1.1; the degrees of WGS 84",
  params: ["Edm.Double", "Edm.Double"],
  returns: "Edm.GeographyPoint",
  postgres: ([longitude, latitude]) => sql`cadastre_geo_position(${longitude}, ${latitude})`,
  evaluate: ([longitude, latitude]) =>
    Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90
      ? // Removes the sign of zero, which JSON does not have.
        { type: "Point", coordinates: [longitude + 0, latitude + 0] }
      : null,
  examples: [],
});
