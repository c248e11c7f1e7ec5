import { createRequire } from "node:module";
import type * as geographiclib from "geographiclib-geodesic";

/** The parts of the geodesics library in use. `scripts/embed-libraries.mjs` embeds these and no others. */
export type GeographicLib = Pick<typeof geographiclib, "Geodesic">;

const require = createRequire(import.meta.url);
let loaded: GeographicLib | undefined;

/**
 * Loads the geodesics library when a distance is first computed. `scripts/embed-libraries.mjs` replaces the compiled module by one that
 * contains the library.
 */
export function loadGeographicLib(): GeographicLib {
  loaded ??= require("geographiclib-geodesic") as GeographicLib;
  return loaded;
}
