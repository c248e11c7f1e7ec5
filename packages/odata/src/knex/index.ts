/**
 * Compiled queries as raw statements of the caller's knex.
 *
 * @module
 */
export { type KnexCompiler, knexCompiler, knexDialect, type RawHost, rawOf, runByKnex } from "./compiler.ts";
