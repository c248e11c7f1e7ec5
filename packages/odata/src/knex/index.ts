/**
 * Compiled queries as statements of the caller's own knex.
 *
 * @module
 */
export { type KnexCompiler, knexCompiler, type RawHost } from "./compiler.ts";
