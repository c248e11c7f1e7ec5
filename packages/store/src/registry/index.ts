/**
 * What a service must remember beside its listings: who may come in, and what each customer is entitled to.
 *
 * @module
 */
export type { EntitlementRegistry, InstalledEntitlement } from "./entitlements/entitlement.ts";
export { type ApiKeyRecord, isInForce, type KeyRegistry, maxLiveKeys, type NewApiKey } from "./keys/key.ts";
export { openPostgresRegistry, type PostgresRegistryOptions } from "./postgres.ts";
export type { Registry } from "./registry.ts";
export { openSqliteRegistry, type SqliteRegistryOptions } from "./sqlite.ts";
