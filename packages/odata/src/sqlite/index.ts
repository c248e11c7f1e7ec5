/**
 * What a SQLite connection needs to run compiled queries.
 *
 * @module
 */
export { type FunctionHost, registerFunctions } from "./register.ts";
