/**
 * Listing records, and restricted queries over them.
 *
 * @module
 */
export type { Page, Store, StoredRecord, StoredResource } from "./store.ts";
