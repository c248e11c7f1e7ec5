/**
 * What a SQLite connection needs to run compiled queries.
 *
 * @module
 */
export { fromSqlite as readValue } from "./forms.ts";
export { type FunctionHost, registerFunctions } from "./register.ts";
