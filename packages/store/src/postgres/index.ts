/**
 * The store on PostgreSQL.
 *
 * @module
 */
export { openPostgresStore, type PostgresStoreOptions } from "./store.ts";
