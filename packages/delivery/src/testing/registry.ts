import * as store from "@cadastre/store/registry";
import { createDeliveryRegistry, type DeliveryRegistry } from "../index.ts";

/** A registry with the tables of deliveries. */
export type TestRegistry = store.AccessRegistry & DeliveryRegistry;

const withDeliveries = (registry: store.AccessRegistry): TestRegistry => ({
  ...registry,
  ...createDeliveryRegistry(registry.database),
});

export const openSqliteTestRegistry = async (options: store.SqliteRegistryOptions): Promise<TestRegistry> =>
  withDeliveries(await store.openSqliteRegistry(options));

export const openPostgresTestRegistry = async (
  options: store.PostgresRegistryOptions,
): Promise<TestRegistry> => withDeliveries(await store.openPostgresRegistry(options));
