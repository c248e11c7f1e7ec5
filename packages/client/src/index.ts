/**
 * Pulls bulk deliveries, verifies them against their contract, loads them, and keeps the loaded copy current.
 *
 * @module
 */
export { type ApiKeySource, readApiKey } from "./api-key.ts";
export { type Bucket, type BucketOptions, openBucket } from "./bucket/bucket.ts";
export { type ColumnKind, type Columns, readColumns } from "./content/columns.ts";
export { type FolderReport, verifyFolder } from "./content/verify-folder.ts";
export { ClientError, type ClientErrorCode, clientErrors, exitCodeOf, exitCodes } from "./errors.ts";
export { acknowledge, awaitExport, domains, type ExportRequest, requestExport } from "./fetch/exports.ts";
export { fetchKeys, readKeyFile } from "./fetch/keys.ts";
export { fetchManifest, type TrustedKeys, type VerifiedManifest } from "./fetch/manifest.ts";
export { type Pins, readPins } from "./fetch/pins.ts";
export { type StagedDelivery, type StagingOptions, stageParts } from "./fetch/staging.ts";
export { type BucketFeedOptions, bucketFeed } from "./follow/bucket-feed.ts";
export type { DeliveryFeed } from "./follow/feed.ts";
export { type FollowOptions, follow } from "./follow/follow.ts";
export type { ListedDelivery } from "./follow/position.ts";
export { acknowledgeBy, type ServiceFeedOptions, serviceFeed } from "./follow/service-feed.ts";
export { type Ask, type Connection, type ConnectionOptions, connect } from "./http/connection.ts";
export type { Looks } from "./http/pause.ts";
export type { RetryPolicy } from "./http/retry-policy.ts";
export { openTarget } from "./load/open-target.ts";
export type { TablePlace } from "./load/table-place.ts";
export type { LoadableDelivery, LoadState, LoadTarget } from "./load/target.ts";
export { exportOnce, type PendingExport } from "./pull/pending.ts";
export { type PullOptions, type PullReport, pull } from "./pull/pull.ts";
export { openReplica } from "./replicate/replica.ts";
export {
  type Replica,
  type ReplicationOptions,
  type ReplicationReport,
  replicate,
} from "./replicate/replicate.ts";
export {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
} from "./webhook/verify-webhook.ts";
