/**
 * Setup of a PostgreSQL connection for compiled queries.
 *
 * @module
 */
export { postgresHelpers } from "./helpers.ts";
export { postgresParameters, postgresSettings } from "./settings.ts";
