/**
 * Exports the records that an entitlement grants, as immutable parts in JSON lines, CSV or Parquet.
 *
 * @module
 */

export {
  type AuditedManifest,
  type AuditedPart,
  auditDeliveries,
  type DeliveryAudit,
  type SealedText,
} from "./audit.ts";
export type { CrashPoint } from "./build/crash-point.ts";
export type {
  PublisherMeans,
  PublisherOptions,
  WorkerMeans,
  WorkerOptions,
  WorkerSettings,
  WorkOutcome,
  WorkReport,
} from "./build/options.ts";
export { partName, partNumber } from "./build/part-number.ts";
export { datasetStart, type PartStart } from "./build/part-text.ts";
export { createRebuilder } from "./build/rebuilder.ts";
export { createPublisher, createWorker, type Worker } from "./build/worker.ts";
export { type PartRequest, type WrittenPart, writePart } from "./build/write-part.ts";
export {
  type Destination,
  type DestinationRegistry,
  destinationTransitions,
  type NewDestination,
} from "./destinations/destination.ts";
export {
  createDestinations,
  type DestinationOptions,
  type Destinations,
  type IssuedDestination,
  type OpenDestination,
} from "./destinations/destinations.ts";
export type { ExternalIdKey } from "./destinations/external-id.ts";
export type { DestinationRequest } from "./destinations/place.ts";
export { type DestinationFailure, destinationFailures } from "./destinations/probe.ts";
export { DeliveryError, type DeliveryErrorCode, type DeliveryErrorKind, deliveryErrors } from "./errors.ts";
export { openExports } from "./exports/create-export.ts";
export {
  createDeliveries,
  type Deliveries,
  type DeliveryOptions,
  type DeliveryStatus,
  type RedeemedPart,
} from "./exports/deliveries.ts";
export { requirePush } from "./exports/delivery-request.ts";
export {
  type AcknowledgementRequest,
  type ApiKeyCaller,
  type FileExportRequest,
  maxKeyLength,
  maxReferenceLength,
} from "./exports/export-request.ts";
export { type DirectGrant, grantLifetime, type IssuedGrant } from "./exports/grants.ts";
export type { Pinned } from "./exports/pinned.ts";
export { type RetentionOptions, type RetentionReport, retain } from "./exports/retention.ts";
export type { Acknowledgement } from "./ledger/acknowledgement.ts";
export {
  type Delivery,
  type DeliveryMode,
  type DeliveryPart,
  type DeliveryState,
  isServed,
  type NewDelivery,
  type SealedManifestRecord,
} from "./ledger/delivery.ts";
export type { DeliveryLedger, ListPosition } from "./ledger/ledger.ts";
export type { Claim, ClaimTerms, DeliveryQueue } from "./ledger/queue.ts";
export type { AccessKeys, BucketAccess } from "./object-store/access.ts";
export type { ListedObject, NewObject, ObjectFacts, ObjectStore } from "./object-store/object-store.ts";
export type { StorageRetryPolicy } from "./object-store/retry.ts";
export type { RoleSession } from "./object-store/role-session.ts";
export { openS3Bucket, type S3Bucket, type S3Options } from "./object-store/s3.ts";
export { type BucketPartsOptions, bucketParts } from "./parts/bucket.ts";
export type { DamageReport } from "./parts/damage.ts";
export { folderParts } from "./parts/folder.ts";
export { partPath } from "./parts/part-path.ts";
export type { PartContent, PartStore } from "./parts/part-store.ts";
export { builtInProfiles, standardProfiles } from "./profiles/built-in.ts";
export {
  type Domain,
  type DomainDataset,
  type DomainEntry,
  domainNames,
  domainTable,
} from "./profiles/domains.ts";
export { manifestProfile, type OutputProfile, type ProfileChoice, profileOf } from "./profiles/profile.ts";
export { readProfiles } from "./profiles/read-profiles.ts";
export {
  type DeliveredDataset,
  type DeliverySchema,
  deliveredDatasets,
  schemaOf,
} from "./profiles/schema.ts";
export { completeName, folderOf, manifestName, signatureName } from "./publication/layout.ts";
export { type PublishedObjects, type PublishedPart, sealedPublication } from "./publication/publication.ts";
export {
  type PublicationPoint,
  type PublicationReport,
  type PublishOptions,
  publishObjects,
} from "./publication/publish.ts";
export { type PublishedDelivery, publishDelivery } from "./publication/publish-delivery.ts";
export { createDeliveryRegistry, type DeliveryRegistry } from "./registry.ts";
export { openText } from "./sealed-text.ts";
export { comparingReader } from "./source/comparing-reader.ts";
export type { DatasetReader } from "./source/dataset-reader.ts";
export {
  type DeltaRequest,
  deltaBatches,
  type RemovalReason,
  reasonColumn,
  removalColumns,
} from "./source/delta.ts";
export { entitySetReader } from "./source/entity-set-reader.ts";
export type {
  ExportBatch,
  ExportChanges,
  ExportColumn,
  ExportRead,
  ExportSource,
  ExportType,
} from "./source/export-source.ts";
export type { KeyedLine } from "./source/keyed-lines.ts";
export { type MarketReaderOptions, marketReader } from "./source/market-reader.ts";
export { type PropertyReaderOptions, propertyReader } from "./source/property-reader.ts";
export { storeSource } from "./source/store-source.ts";
export { type SubscriptionStatus, statusOf } from "./subscriptions/progress.ts";
export { cadenceBounds, maxNameLength, type SubscriptionRequest } from "./subscriptions/request.ts";
export {
  createScheduler,
  type ScheduleReport,
  type Scheduler,
  type SchedulerOptions,
} from "./subscriptions/scheduler.ts";
export type {
  EmptyDeliveryBehavior,
  NewSubscription,
  Subscription,
  SubscriptionRegistry,
} from "./subscriptions/subscription.ts";
export {
  type ChangeSubscription,
  createSubscriptions,
  type SubscriptionOptions,
  type Subscriptions,
} from "./subscriptions/subscriptions.ts";
export { webhookFailures } from "./webhooks/attempt.ts";
export {
  createWebhookSender,
  type WebhookReport,
  type WebhookSender,
  type WebhookSenderOptions,
} from "./webhooks/sender.ts";
export { type Webhook, type WebhookEvent, webhookEvents, webhookStates } from "./webhooks/webhook.ts";
export {
  createWebhooks,
  type IssuedWebhook,
  type WebhookOptions,
  type WebhookRequest,
  type Webhooks,
  type WebhookTerms,
} from "./webhooks/webhooks.ts";
