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
  Counted,
  Coverage,
  CoverageWithin,
  FieldCoverage,
  LocationColumn,
  MarketCoverage,
  RegionValues,
} from "./coverage/coverage.ts";
export { StoreError, type StoreErrorCode, type StoreErrorKind, storeErrors } from "./errors.ts";
export { inBackground, type QueryLimits } from "./read/customer-share.ts";
export type { CostClass, Use } from "./read/scheduler.ts";
export type { Migration, SchemaOptions } from "./schema/migration.ts";
export type {
  Bookmark,
  Change,
  Commit,
  Follows,
  Page,
  ReadOptions,
  RemovedRecord,
  Store,
  StoredRecord,
  StoredResource,
} from "./store.ts";
export type { WritableStore } from "./writable-store.ts";
