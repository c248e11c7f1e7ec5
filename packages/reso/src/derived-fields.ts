import type { Field } from "./field.ts";

/** Inputs of both fields. If they are masked for a caller, the derived values must not show more. */
const derivedFrom = ["Latitude", "Longitude"];

const common = { collection: false, nullable: true, synonyms: [], source: null, derivedFrom } as const;

/** Fields of Property beyond the dictionary. `Placekey` is not `computed`: it is from the crosswalk, or else from the source. */
export const derivedFields: readonly Field[] = [
  {
    ...common,
    name: "Coordinates",
    displayName: "Coordinates",
    type: "Edm.GeographyPoint",
    // WGS 84.
    srid: 4326,
    computed: true,
  },
  {
    ...common,
    name: "Placekey",
    displayName: "Placekey",
    type: "Edm.String",
    // `what@where`, such as `zzw-222@5vg-82n-kzz`. Source: Placekey white paper.
    maxLength: 19,
  },
];
