/**
 * Exports the records that an entitlement grants, as immutable parts in JSON lines, CSV or Parquet.
 *
 * @module
 */

export { requirePush } from "./asked-for.ts";
export { comparingReader } from "./changes/comparing-reader.ts";
export {
  type DeltaRequest,
  deltaBatches,
  type RemovalReason,
  reasonColumn,
  removalColumns,
} from "./changes/delta.ts";
export { type KeyedLine, keyedLines } from "./changes/keyed-lines.ts";
export { openExports } from "./creation.ts";
export {
  createDeliveries,
  type Deliveries,
  type DeliveryOptions,
  type DeliveryStatus,
  type RedeemedPart,
} from "./deliveries.ts";
export {
  createDestinations,
  type DestinationOptions,
  type Destinations,
  type IssuedDestination,
  type OpenDestination,
} from "./destination/destinations.ts";
export type { ExternalIdKey } from "./destination/external-id.ts";
export type { DestinationRequest } from "./destination/place.ts";
export { type DestinationFailure, destinationFailures } from "./destination/probe.ts";
export { type Dataset, type Domain, type DomainEntry, domainNames, domains } from "./domain/domains.ts";
export { DeliveryError, type DeliveryErrorCode, deliveryErrors } from "./errors.ts";
export { type DirectGrant, grantLifetime, type IssuedGrant } from "./grant/grants.ts";
export type { AccessKeys, BucketAccess } from "./object-store/access.ts";
export type { ListedObject, NewObject, ObjectFacts, ObjectStore } from "./object-store/object-store.ts";
export type { Patience } from "./object-store/patience.ts";
export type { RoleSession } from "./object-store/role-session.ts";
export { type Bucket, type BucketOptions, openBucket } from "./object-store/s3.ts";
export { partName, partNumber } from "./part/part-number.ts";
export { datasetStart, type PartStart } from "./part/part-text.ts";
export { type PartRequest, type WrittenPart, writePart } from "./part/write-part.ts";
export { type BucketPartsOptions, bucketParts } from "./parts/bucket.ts";
export type { DamageReport } from "./parts/damage.ts";
export { folderParts } from "./parts/folder.ts";
export { partPath } from "./parts/part-path.ts";
export type { OpenPart, PartStore } from "./parts/part-store.ts";
export type { Pinned } from "./pinned.ts";
export { builtInProfiles, standardProfiles } from "./profile/built-in.ts";
export { manifestProfile, type OutputProfile, type ProfileChoice, profileOf } from "./profile/profile.ts";
export { readProfiles } from "./profile/read-profiles.ts";
export { type DeliveredDataset, type DeliverySchema, deliveredDatasets, schemaOf } from "./profile/schema.ts";
export { completeName, folderOf, manifestName, signatureName } from "./publication/layout.ts";
export type { Publication, PublishedPart } from "./publication/publication.ts";
export {
  type PublicationPoint,
  type PublicationReport,
  type PublishOptions,
  publish,
} from "./publication/publish.ts";
export { type PublishedDelivery, publishDelivery } from "./publication/publish-delivery.ts";
export { sealedPublication } from "./publication/sealed.ts";
export {
  type AcknowledgementRequest,
  type Caller,
  type ExportRequest,
  maxKeyLength,
  maxReferenceLength,
} from "./request.ts";
export { type RetentionOptions, type RetentionReport, retain } from "./retention.ts";
export { openText } from "./sealed-text.ts";
export type {
  ExportBatch,
  ExportChanges,
  ExportColumn,
  ExportRead,
  ExportSource,
  ExportType,
} from "./source.ts";
export type { DatasetReader } from "./store-source/dataset-reader.ts";
export { entitySetReader } from "./store-source/entity-set-reader.ts";
export { type MarketReaderOptions, marketReader } from "./store-source/market-reader.ts";
export { type PropertyReaderOptions, propertyReader } from "./store-source/property-reader.ts";
export { storeSource } from "./store-source/store-source.ts";
export { type SubscriptionStatus, statusOf } from "./subscription/progress.ts";
export { cadenceBounds, maxNameLength, type SubscriptionRequest } from "./subscription/request.ts";
export {
  createScheduler,
  type ScheduleReport,
  type Scheduler,
  type SchedulerOptions,
} from "./subscription/scheduler.ts";
export {
  type ChangeSubscription,
  createSubscriptions,
  type SubscriptionOptions,
  type Subscriptions,
} from "./subscription/subscriptions.ts";
export { webhookFailures } from "./webhook/attempt.ts";
export {
  createWebhookSender,
  type WebhookReport,
  type WebhookSender,
  type WebhookSenderOptions,
} from "./webhook/sender.ts";
export {
  createWebhooks,
  type IssuedWebhook,
  type WebhookOptions,
  type WebhookRequest,
  type Webhooks,
  type WebhookTerms,
} from "./webhook/webhooks.ts";
export type { CrashPoint } from "./worker/crash-point.ts";
export type {
  PublisherMeans,
  PublisherOptions,
  WorkerMeans,
  WorkerOptions,
  WorkerSettings,
  WorkOutcome,
  WorkReport,
} from "./worker/options.ts";
export { createRebuilder } from "./worker/rebuilder.ts";
export { createPublisher, createWorker, type Worker } from "./worker/worker.ts";
