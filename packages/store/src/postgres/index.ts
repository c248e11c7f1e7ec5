/**
 * A store in a PostgreSQL database.
 *
 * @module
 */

export { type PostgresQuery, withPostgresConnection } from "./connection/connect.ts";
export type { Partitioning } from "./layout/partitions.ts";
export { withPostgresLock } from "./lock.ts";
export {
  addPartitions,
  detachPartitions,
  dropPartitions,
  type PartitionState,
  partitionState,
} from "./partitions.ts";
export { openPostgresStore } from "./store.ts";
export type { PostgresStoreOptions } from "./store-options.ts";
export type { Wall } from "./wall/build.ts";
