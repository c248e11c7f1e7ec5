import { createRequire } from "node:module";
import type * as re2js from "re2js";

/** The parts of the pattern library in use. `scripts/embed-libraries.mjs` embeds these and no others. */
export type Re2js = Pick<typeof re2js, "RE2JS">;

const require = createRequire(import.meta.url);
let loaded: Re2js | undefined;

/**
 * Loads the pattern library when a pattern is first matched. `scripts/embed-libraries.mjs` replaces the compiled module by one that
 * contains the library.
 */
export function loadRe2js(): Re2js {
  loaded ??= require("re2js") as Re2js;
  return loaded;
}
