/**
 * A store in a PostgreSQL database.
 *
 * @module
 */
export { withPostgresLock } from "./lock.ts";
export { openPostgresStore, type PostgresStoreOptions } from "./store.ts";
export type { Wall } from "./wall/build.ts";
