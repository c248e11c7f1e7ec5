/**
 * What a PostgreSQL connection needs to run compiled queries.
 *
 * @module
 */
export { postgresHelpers } from "../functions/postgres-helpers.ts";
export { postgresSettings } from "./settings.ts";
