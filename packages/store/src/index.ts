/**
 * Storage of versioned listing records, with queries restricted by scope.
 *
 * @module
 */

// Read and write

export { inBackground } from "./read/customer-share.ts";
export { QueryUsage } from "./read/query-usage.ts";
export type { QueryFacts, ReadStages } from "./read/read-stages.ts";
export type { ReplicaState, ReplicaStatus } from "./read/replica-status.ts";
export type { CostClass, Use } from "./read/scheduler.ts";
export { readPages } from "./read-pages.ts";
export type {
  AppliedPage,
  AppliedPageRead,
  Bookmark,
  CellCounts,
  Change,
  ChangedPage,
  ChangeReadOptions,
  Moment,
  Page,
  ReadOptions,
  RemovedRecord,
  Store,
  StoredRecord,
} from "./store.ts";
export type { Follows, StoredResource } from "./stored-resource.ts";
export type { WritableStore } from "./writable-store.ts";
export type { EncodedChange } from "./write/version.ts";

// Builds: changes that wait until they are published

export type {
  BatchOptions,
  Build,
  BuildFault,
  Builds,
  Candidate,
  CandidateRecord,
  DatasetRetirement,
  GateVerdict,
  Json,
  SetChange,
} from "./build/build.ts";
export type { Migration } from "./database/schema-options.ts";

// Coverage: how many records have a field

export type { Coverage, CoverageWithin, MarketCoverage, RegionValues } from "./coverage/coverage.ts";

// Errors

export { StoreError, type StoreErrorCode, type StoreErrorKind, storeErrors } from "./errors.ts";
