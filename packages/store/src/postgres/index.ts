/**
 * A store in a PostgreSQL database.
 *
 * @module
 */
export { withPostgresLock } from "./lock.ts";
export { openPostgresStore } from "./store.ts";
export type { PostgresStoreOptions } from "./store-options.ts";
export type { Wall } from "./wall/build.ts";
