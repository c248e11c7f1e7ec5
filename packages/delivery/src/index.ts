/**
 * Exports of what an entitlement grants: immutable parts in JSON lines, CSV or Parquet.
 *
 * @module
 */
export {
  createDeliveries,
  type Deliveries,
  type DeliveryOptions,
  type DeliveryStatus,
  type RedeemedPart,
} from "./deliveries.ts";
export { type Dataset, type Domain, type DomainEntry, domainNames, domains } from "./domain/domains.ts";
export { DeliveryError, type DeliveryErrorCode, deliveryErrors } from "./errors.ts";
export { grantLifetime, type IssuedGrant } from "./grant/grants.ts";
export { partName, partNumber } from "./part/part-number.ts";
export { datasetStart, type PartStart } from "./part/part-text.ts";
export { type PartRequest, type WrittenPart, writePart } from "./part/write-part.ts";
export { folderParts } from "./parts/folder.ts";
export type { OpenPart, PartStore } from "./parts/part-store.ts";
export type { Pinned } from "./pinned.ts";
export { builtInProfiles } from "./profile/built-in.ts";
export { manifestProfile, type OutputProfile, type ProfileChoice, profileOf } from "./profile/profile.ts";
export { readProfiles } from "./profile/read-profiles.ts";
export { type DeliveredDataset, type DeliverySchema, deliveredDatasets, schemaOf } from "./profile/schema.ts";
export {
  type AcknowledgementRequest,
  type Caller,
  type ExportRequest,
  maxKeyLength,
  maxReferenceLength,
} from "./request.ts";
export { type RetentionOptions, type RetentionReport, retain } from "./retention.ts";
export type { ExportBatch, ExportColumn, ExportRead, ExportSource, ExportType } from "./source.ts";
export type { DatasetReader } from "./store-source/dataset-reader.ts";
export { entitySetReader } from "./store-source/entity-set-reader.ts";
export { storeSource } from "./store-source/store-source.ts";
export type { CrashPoint } from "./worker/crash-point.ts";
export type {
  WorkerMeans,
  WorkerOptions,
  WorkerSettings,
  WorkOutcome,
  WorkReport,
} from "./worker/options.ts";
export { createWorker, type Worker } from "./worker/worker.ts";
