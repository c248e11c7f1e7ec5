/**
 * The registry of a service: API keys, signed entitlements, resolved identities, display profiles of datasets, and feeds. Other packages
 * keep their own tables in its database.
 *
 * @module
 */
export type { Knex } from "knex";
export { createUlid } from "../ulid.ts";
export type { AuditedEntitlement, RegistryAudit } from "./audit.ts";
export type { CatalogVersion, CatalogVersions } from "./catalog-versions.ts";
export type { RegistryChanges } from "./changes.ts";
export { withCustomerLock } from "./customer-lock.ts";
export { customerTable, type EntitlementRegistry, type InstalledEntitlement } from "./entitlements.ts";
export type { EventAppend, EventLog, EventLogs, EventProgress } from "./event-logs.ts";
export type { FeedCounts, FeedLease, FeedOutcome, FeedRecord, FeedRegistry } from "./feeds.ts";
export type { PepperCheck } from "./guards.ts";
export type { CrosswalkEntry, IdentityRegister } from "./identities.ts";
export { type Int64Column, int64ToNumber } from "./int64-column.ts";
export { type ApiKeyRecord, isInForce, type KeyRegistry, type NewApiKey } from "./keys.ts";
export {
  openPostgresRegistry,
  openPostgresRegistryAudit,
  type PostgresRegistryOptions,
} from "./postgres.ts";
export type { MlsProfile, ProfileRegistry } from "./profiles.ts";
export { type RecordState, unknownHash } from "./record-state.ts";
export type { AccessRegistry, RegistryDatabase } from "./registry.ts";
export type { SealedDocument, SealedDocuments } from "./sealed-documents.ts";
export { openSqliteRegistry, openSqliteRegistryAudit, type SqliteRegistryOptions } from "./sqlite.ts";
export type { UsageReports } from "./usage-reports.ts";
export type { WorkerDescription, WorkerHeartbeats, WorkerRecord } from "./worker-heartbeats.ts";
