/**
 * Storage of versioned listing records, with queries restricted by scope.
 *
 * @module
 */
export type {
  BatchOptions,
  Build,
  Builds,
  Candidate,
  CandidateRecord,
  Check,
  GateVerdict,
  Json,
  PublicationResult,
  SetChange,
  Staged,
} from "./build/build.ts";
export type {
  Coverage,
  CoverageWithin,
  FieldCoverage,
  MarketCoverage,
  RegionValues,
} from "./coverage/coverage.ts";
export type { Migration, SchemaOptions } from "./database/schema-options.ts";
export { StoreError, type StoreErrorCode, type StoreErrorKind, storeErrors } from "./errors.ts";
export { inBackground, type QueryLimits } from "./read/customer-share.ts";
export type { CostClass, Use } from "./read/scheduler.ts";
export type {
  Bookmark,
  Change,
  Commit,
  Page,
  ReadOptions,
  RemovedRecord,
  Store,
  StoredRecord,
} from "./store.ts";
export type { Counted, Follows, LocationColumn, StoredResource } from "./stored-resource.ts";
export type { WritableStore } from "./writable-store.ts";
