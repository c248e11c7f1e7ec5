/**
 * Setup of a PostgreSQL connection for compiled queries.
 *
 * @module
 */
export { postgresHelpers } from "../functions/postgres-helpers.ts";
export { postgresSettings } from "./settings.ts";
