/**
 * Exports the records that an entitlement grants, as immutable parts in JSON lines, CSV or Parquet. Customers ask for
 * deliveries, workers build them, and publishers write them to buckets; all of them share the tables of one registry.
 *
 * @module
 */

// Registry: the tables that everything below works on

export type { Backlog } from "./backlog.ts";
export { createDeliveryRegistry, type DeliveryRegistry } from "./registry.ts";

// Exports: a customer asks for a delivery, fetches its parts and acknowledges it

export {
  createDeliveries,
  type Deliveries,
  type DeliveryOptions,
  type DeliveryStatus,
} from "./exports/deliveries.ts";
export {
  createDocuments,
  type DocumentOptions,
  type Documents,
  type OfferedProfile,
  type ServedDocument,
} from "./exports/documents.ts";
export {
  type AcknowledgementRequest,
  type ApiKeyCaller,
  type FileExportRequest,
  maxKeyLength,
  maxReferenceLength,
  requirePush,
} from "./exports/export-request.ts";
export { type DeliveryCredits, openExports } from "./exports/new-delivery.ts";
export { pinnedProfile } from "./exports/pinned.ts";
export { type RetentionOptions, retain } from "./exports/retention.ts";
export type { AcknowledgedReference, Acknowledgement } from "./ledger/acknowledgement.ts";
export { type Delivery, type DeliveryMode, type DeliveryState, deliveryStates } from "./ledger/delivery.ts";
export type { DeliveryLedger, ListPosition } from "./ledger/ledger.ts";

// Subscriptions: deliveries that recur

export { type SubscriptionStatus, statusOf } from "./subscriptions/progress.ts";
export { cadenceBounds, maxNameLength, type SubscriptionRequest } from "./subscriptions/request.ts";
export { createScheduler, type SchedulerOptions } from "./subscriptions/scheduler.ts";
export type {
  EmptyDeliveryBehavior,
  ReachedDelivery,
  Subscription,
  SubscriptionReach,
} from "./subscriptions/subscription.ts";
export {
  type ChangeSubscription,
  changeSubscription,
  createSubscriptions,
  type SubscriptionChange,
  type SubscriptionOptions,
  type Subscriptions,
} from "./subscriptions/subscriptions.ts";

// Destinations: buckets of customers that deliveries are written to

export { type Destination, destinationTransitions } from "./destinations/destination.ts";
export {
  createDestinations,
  type DestinationOptions,
  type Destinations,
  type IssuedDestination,
} from "./destinations/destinations.ts";
export type { DestinationRequest } from "./destinations/place.ts";
export { destinationFailures } from "./destinations/probe.ts";

// Webhooks: signed messages about what happened to deliveries

export { webhookFailures } from "./webhooks/attempt.ts";
export type { EntityEvent, EventFeed } from "./webhooks/event-feed.ts";
export { createWebhookSender, type WebhookReport, type WebhookSenderOptions } from "./webhooks/sender.ts";
export {
  messageEvents,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
  webhookStates,
} from "./webhooks/webhook.ts";
export {
  createWebhooks,
  type IssuedWebhook,
  type WebhookOptions,
  type WebhookRequest,
  type Webhooks,
  type WebhookTerms,
} from "./webhooks/webhooks.ts";

// Operations: what the operator of a service sees and does, across all customers

export type {
  AcknowledgementEvidence,
  ClaimedDelivery,
  DeliveryFigures,
  DeliveryOperations,
  OperatedDelivery,
  OperatedWebhook,
  OperatorFilter,
  PartTotals,
} from "./operations/operations.ts";

// Work: what builds, publishes and repairs deliveries

export type { PublisherOptions, WorkerOptions, WorkReport } from "./build/options.ts";
export { createRebuilder } from "./build/rebuilder.ts";
export { createPublisher, createWorker } from "./build/worker.ts";
export { type PartRequest, type WrittenPart, writePart } from "./build/write-part.ts";
export type { Job, JobStage, JobTrace } from "./job-trace.ts";
export { type PollingOptions, pollForWork } from "./poll-for-work.ts";
export { folderOf } from "./publication/layout.ts";
export { sealedPublication } from "./publication/publication.ts";
export { publishDelivery } from "./publication/publish-delivery.ts";

// Stores of parts: a folder, a bucket, or one of your own

export type { BucketAccess } from "./object-store/access.ts";
export { openS3Bucket, type S3Options } from "./object-store/s3.ts";
export { type BucketPartsOptions, bucketParts } from "./parts/bucket.ts";
export type { DamageReport } from "./parts/damage.ts";
export { folderParts, partPath } from "./parts/folder.ts";
export type { ByteRange, PartContent, PartStore } from "./parts/part-store.ts";

// Profiles: which fields of which datasets, in which format

export { type Domain, domainNames, domainTable } from "@cadastre/manifest";
export { builtInProfiles, standardProfiles } from "./profiles/built-in.ts";
export type { Narrowing } from "./profiles/narrowed-profile.ts";
export type { OutputProfile } from "./profiles/profile.ts";
export { type ProfileFile, readProfileFile, readProfiles } from "./profiles/read-profiles.ts";

// Sources of records: the Cadastre store, or one of your own

export type { KeyedLine } from "@cadastre/store/changes";
export { comparingReader } from "./source/comparing-reader.ts";
export type { DatasetReader } from "./source/dataset-reader.ts";
export { type DeltaRequest, deltaBatches } from "./source/delta.ts";
export { entitySetReader } from "./source/entity-set-reader.ts";
export type {
  ExportBatch,
  ExportChanges,
  ExportColumn,
  ExportRead,
  ExportSource,
  ExportType,
} from "./source/export-source.ts";
export {
  type FollowingRecords,
  followingReader,
  type Selected,
  selectedFollowing,
  selectedRecords,
} from "./source/following-reader.ts";
export { type MarketReaderOptions, marketReader } from "./source/market-reader.ts";
export { pinnedReader } from "./source/pinned-reader.ts";
export { type PropertyReaderOptions, propertyReader } from "./source/property-reader.ts";
export { storeSource } from "./source/store-source.ts";

// Audit: sealed texts and manifests of the tables, to be checked against a key

export {
  type AuditedManifest,
  type AuditedPart,
  auditDeliveries,
  type DeliveryAudit,
  type EncryptedText,
} from "./audit.ts";
export { openText, sealText } from "./sealed-text.ts";

// Event loop

export { TurnQueue } from "./turn-queue.ts";

// Errors

export { DeliveryError, type DeliveryErrorCode, type DeliveryErrorKind, deliveryErrors } from "./errors.ts";
