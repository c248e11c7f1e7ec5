/**
 * Setup of a PostgreSQL connection for compiled queries.
 *
 * @module
 */
export { postgresHelpers } from "./helpers.ts";
export { postgresSettings } from "./settings.ts";
