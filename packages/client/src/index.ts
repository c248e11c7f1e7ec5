/**
 * Pulls bulk deliveries, verifies them against their contract, loads them, and keeps the loaded copy current.
 *
 * @module
 */

// Connect

export { type ApiKeySource, readApiKey } from "./api-key.ts";
export { type Connection, type ConnectionOptions, connect } from "./http/connection.ts";
export type { RetryPolicy } from "./http/retry-policy.ts";

// Pull: one delivery, from the request to the acknowledgement

export { acknowledge, type ExportRequest, requestExport } from "./fetch/exports.ts";
export { fetchKeys, readKeyFile } from "./fetch/keys.ts";
export type { TrustedKeys } from "./fetch/manifest.ts";
export { exportOnce } from "./pull/pending.ts";
export { type PullOptions, type PullReport, pull } from "./pull/pull.ts";

// Follow: the deliveries of a subscription, by the service or from the bucket

export { type Bucket, type BucketOptions, openBucket } from "./bucket/bucket.ts";
export { type BucketFeedOptions, bucketFeed } from "./follow/bucket-feed.ts";
export type { DeliveryFeed, SubscriptionState } from "./follow/feed.ts";
export { type FollowOptions, follow } from "./follow/follow.ts";
export { type ServiceFeedOptions, serviceFeed } from "./follow/service-feed.ts";
export { type PurgeReceipt, purgeCopy } from "./pull/purge-copy.ts";

// Subscribe: create, list and change subscriptions

export { deliveriesBehind } from "./subscriptions/lag.ts";
export {
  changeRemoteSubscription,
  type DomainSubscription,
  ensureSubscription,
  findRemoteSubscription,
  listRemoteDeliveries,
  listRemoteSubscriptions,
  type RemoteChange,
  type RemoteDelivery,
  type RemoteSubscription,
} from "./subscriptions/subscriptions.ts";

// Load: into a folder, SQLite, PostgreSQL or DuckDB

export { type CopyState, readCopyState } from "./load/copy-state.ts";
export { openTarget } from "./load/open-target.ts";
export type { TablePlace, TargetOptions } from "./load/table-place.ts";
export type { LoadableDelivery, LoadReport, LoadState, LoadTarget, PurgedData } from "./load/target.ts";

// Read: the deliveries in a folder, and their records

export { deliveredLines, readDeliveries, type StoredDelivery } from "./load/stored-deliveries.ts";

// Replicate: a resource by OData

export { type FollowReplicaOptions, followReplica } from "./replicate/follow-replica.ts";
export { openReplica } from "./replicate/open-replica.ts";
export type {
  Replica,
  ReplicaChange,
  ReplicaPage,
  ReplicaPosition,
  ReplicaProgress,
  ReplicaRecord,
} from "./replicate/replica.ts";
export {
  type ReplicationOptions,
  type ReplicationReport,
  replicate,
  type WalkReason,
} from "./replicate/replicate.ts";

// Verify: what lies in a folder, and messages of webhooks

export { type Columns, readColumns } from "./content/columns.ts";
export { type DeliveredSchema, readSchema, type SchemaColumn } from "./content/schema.ts";
export { type FolderReport, verifyFolder } from "./content/verify-folder.ts";
export { type Pins, readPins } from "./fetch/pins.ts";
export {
  type EntityEventMessage,
  type PushedEntityEvent,
  verifyEntityEvents,
} from "./webhook/verify-entity-events.ts";
export { verifyWebhook, type WebhookHeaders, type WebhookMessage } from "./webhook/verify-webhook.ts";

// Errors

export {
  ClientError,
  type ClientErrorCode,
  clientErrors,
  exitCodeMeanings,
  exitCodeOf,
  exitCodes,
} from "./errors.ts";
