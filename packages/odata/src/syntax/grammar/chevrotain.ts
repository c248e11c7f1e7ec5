import { createRequire } from "node:module";
import type * as chevrotain from "chevrotain";

export type Chevrotain = typeof chevrotain;

const require = createRequire(import.meta.url);

function load(): Chevrotain {
  try {
    return require("chevrotain") as Chevrotain;
  } catch (error) {
    // Loaders that compile modules to CommonJS look for a `require` condition that the library's own
    // dependencies lack; its single-file build has no dependencies.
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    const entry = require.resolve("chevrotain");
    return require(entry.replace(/lib[\\/]src[\\/]api\.js$/, "lib/chevrotain.mjs")) as Chevrotain;
  }
}

let loaded: Chevrotain | undefined;

/**
 * The parsing library, loaded when a grammar is first needed: common expressions never need one.
 * `require` of an ES module is synchronous on Node 20.19 and later.
 */
export function loadChevrotain(): Chevrotain {
  loaded ??= load();
  return loaded;
}
