/**
 * The store on PostgreSQL.
 *
 * @module
 */
export { openPostgresStore, type PostgresStoreOptions } from "./store.ts";
export type { Wall } from "./wall/build.ts";
