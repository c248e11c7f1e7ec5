/**
 * What a service must remember beside its listings: who may come in, what each customer is entitled to, which identities are
 * one property, and how datasets are to be presented.
 *
 * @module
 */
export type { EntitlementRegistry, InstalledEntitlement } from "./entitlements/entitlement.ts";
export type { CrosswalkEntry, IdentityRegister, Resolution } from "./identities/identity.ts";
export { type ApiKeyRecord, isInForce, type KeyRegistry, maxLiveKeys, type NewApiKey } from "./keys/key.ts";
export { openPostgresRegistry, type PostgresRegistryOptions } from "./postgres.ts";
export type { MlsProfile, ProfileRegistry } from "./profiles/profile.ts";
export type { Registry } from "./registry.ts";
export { openSqliteRegistry, type SqliteRegistryOptions } from "./sqlite.ts";
