import { join } from "node:path";
import type { RecordName } from "@cadastre/reso";
import type { FeedCounts, FeedRecord } from "@cadastre/store/registry";
import type { DataFolder } from "../data/data-folder.ts";
import type { BatchCheck } from "../ingest/check-batch.ts";
import type { SourceMapping } from "../ingest/mapping.ts";
import type { RejectReason } from "../ingest/reject-reasons.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import type { Source } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";
import type { FeedAuthorization } from "../replicate/authorization.ts";
import type { FeedDefinition, FeedProgress } from "./definition.ts";
import type { Mutexes } from "./mutexes.ts";

/** Services that a run of a feed uses. */
export type FeedServices = {
  readonly store: Listings;
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly folder: Pick<DataFolder, "path">;
  /** Percentage of the source's records that a run may remove. */
  readonly maxShrink: number;
  /** Mutexes of the runs of this process. */
  readonly mutexes: Mutexes;
  readonly now: () => number;
};

/** One run of a feed. */
export type FeedRun = {
  readonly feed: FeedRecord;
  /** Ends the run after the page or batch in progress. */
  readonly signal: AbortSignal;
  /** Records the progress. @throws {FeedError} if the lease of the feed is void */
  readonly onProgress: (progress: FeedProgress) => Promise<void>;
  /** Checks the lease before a publication. @throws {FeedError} if it is void */
  readonly requireLease: () => Promise<void>;
  /** Called with the counts of the run so far, those of a run that fails as well. */
  readonly onCounts: (counts: FeedCounts, modified: number | null) => void;
  /** Called with the reasons why records of a resource were rejected, those of a run that fails as well. */
  readonly onReasons: (resource: RecordName, reasons: readonly RejectReason[]) => void;
  /** Called after each publication with the number of records that it has removed. */
  readonly onRemoved: (records: number) => void;
};

/** A run with what its definition names, which is read once: an OAuth token serves all requests of the run. */
export type StagingRun = FeedRun & {
  readonly definition: FeedDefinition;
  readonly source: Source;
  readonly mapping: SourceMapping | undefined;
  readonly authorization: FeedAuthorization | undefined;
};

/** Counts of a step: records read, staged, rejected and removed, and the newest `ModificationTimestamp`. */
export type StagedCounts = FeedCounts & { readonly removed: number; readonly modified: number | null };

export const noCounts: StagedCounts = { read: 0, staged: 0, rejected: 0, removed: 0, modified: null };

export const sumOfCounts = (a: StagedCounts, b: StagedCounts): StagedCounts => ({
  read: a.read + b.read,
  staged: a.staged + b.staged,
  rejected: a.rejected + b.rejected,
  removed: a.removed + b.removed,
  modified: latest(a.modified, b.modified),
});

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Maximum number of rejected records of a run, unless the feed has another: a hostile source must not fill the disk with rejects. */
export const usualMaxRejects = 100_000;

export const rejectsFile = ({ folder }: FeedServices, { name }: FeedRecord, resource: string): string =>
  join(folder.path, "feeds", `${name}.${resource}${rejectsEnding}`);
