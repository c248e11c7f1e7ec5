import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as chevrotain from "chevrotain";

/** The parts of the parsing library in use. `scripts/embed-libraries.mjs` embeds these and no others. */
export type Chevrotain = Pick<
  typeof chevrotain,
  | "createToken"
  | "EmbeddedActionsParser"
  | "Lexer"
  | "MismatchedTokenException"
  | "NotAllInputParsedException"
>;

const require = createRequire(import.meta.url);

function load(): Chevrotain {
  const entry = require.resolve("chevrotain");
  // The library's single-file build loads in a tenth of the time of its hundreds of modules. It also has no
  // dependencies, some of which cannot be resolved by loaders that compile modules to CommonJS.
  const singleFile = join(dirname(entry), "..", "chevrotain.mjs");
  return require(existsSync(singleFile) ? singleFile : entry) as Chevrotain;
}

let loaded: Chevrotain | undefined;

/**
 * Loads the parsing library when a grammar is first needed; common expressions do not need it.
 *
 * `scripts/embed-libraries.mjs` replaces the compiled module by one that contains the library, so that the published
 * package runs where nothing can be loaded by name, such as in a bundle.
 */
export function loadChevrotain(): Chevrotain {
  loaded ??= load();
  return loaded;
}
