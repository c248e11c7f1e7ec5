/**
 * The registry of a service: API keys, signed entitlements, resolved identities and display profiles of datasets. Other packages
 * keep their own tables in its database.
 *
 * @module
 */
export type { Knex } from "knex";
export { createUlid } from "../ulid.ts";
export { type AuditedEntitlement, openRegistryAudit, type RegistryAudit } from "./audit.ts";
export { withCustomerLock } from "./customer-lock.ts";
export type { EntitlementRegistry, InstalledEntitlement } from "./entitlements/entitlement.ts";
export { customerTable } from "./entitlements/rows.ts";
export type { PepperCheck } from "./guards/guards.ts";
export type { CrosswalkEntry, IdentityRegister } from "./identities/identity.ts";
export { type Int64Column, int64ToNumber } from "./int64-column.ts";
export { type ApiKeyRecord, isInForce, type KeyRegistry, type NewApiKey } from "./keys/key.ts";
export { openPostgresRegistry, type PostgresRegistryOptions } from "./postgres.ts";
export type { MlsProfile, ProfileRegistry } from "./profiles/profile.ts";
export type { AccessRegistry, RegistryDatabase } from "./registry.ts";
export { openSqliteRegistry, type SqliteRegistryOptions } from "./sqlite.ts";
