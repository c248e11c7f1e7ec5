import * as store from "@cadastre/store/registry";
import { createDeliveryRegistry, type DeliveryRegistry } from "../../src/index.ts";

/** A registry with the tables of deliveries. */
export type Registry = store.AccessRegistry & DeliveryRegistry;

const withDeliveries = (registry: store.AccessRegistry): Registry => ({
  ...registry,
  ...createDeliveryRegistry(registry.database),
});

export const openSqliteRegistry = async (options: store.SqliteRegistryOptions): Promise<Registry> =>
  withDeliveries(await store.openSqliteRegistry(options));

export const openPostgresRegistry = async (options: store.PostgresRegistryOptions): Promise<Registry> =>
  withDeliveries(await store.openPostgresRegistry(options));
