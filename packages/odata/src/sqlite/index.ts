/**
 * Setup of a SQLite connection for compiled queries.
 *
 * @module
 */
export { fromSqlite as readValue } from "./forms.ts";
export { type FunctionHost, registerFunctions } from "./register.ts";
