/**
 * Compiled queries as raw statements of the caller's knex.
 *
 * @module
 */
export { type KnexCompiler, knexCompiler, type RawHost } from "./compiler.ts";
